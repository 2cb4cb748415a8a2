-- Appends one event to a player's account log, unless the log has it already.
--
-- KEYS  player, account, progress
-- ARGV  max events, lifetime in ms, max games, game id, version, seq, body
--
-- `progress` holds for each game '<version>-<seq> <id>': its last event in this log, and the id of
-- that entry; and under '-' the last id that was dropped from the log.
--
-- Returns 1 if the event was appended, 0 if it was there already or the player does not exist.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local version, seq = tonumber(ARGV[5]), tonumber(ARGV[6])
local progress = redis.call('HGET', KEYS[3], ARGV[4])
if progress then
  local last_version, last_seq = string.match(progress, '^(%d+)-(%d+) ')
  last_version, last_seq = tonumber(last_version), tonumber(last_seq)
  if version < last_version or (version == last_version and seq <= last_seq) then
    return 0
  end
end

if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[3], '-', redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1][1])
end
local id = redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[1], '*', 'e', ARGV[7])
redis.call('HSET', KEYS[3], ARGV[4], ARGV[5] .. '-' .. ARGV[6] .. ' ' .. id)
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[3], ARGV[2])

-- Too many games: forget the half with the oldest entries.
if redis.call('HLEN', KEYS[3]) > tonumber(ARGV[3]) then
  local games = {}
  local fields = redis.call('HGETALL', KEYS[3])
  for i = 1, #fields, 2 do
    local at, nth = string.match(fields[i + 1], ' (%d+)-(%d+)$')
    if at then
      table.insert(games, {fields[i], tonumber(at), tonumber(nth)})
    end
  end
  table.sort(games, function(a, b)
    return a[2] < b[2] or (a[2] == b[2] and a[3] < b[3])
  end)
  for i = 1, math.floor(#games / 2) do
    redis.call('HDEL', KEYS[3], games[i][1])
  end
end
return 1
