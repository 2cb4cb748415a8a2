-- Writes one event into a player's log, unless it was written before.
--
-- KEYS  player, account, told
-- ARGV  most events, life in milliseconds, most games, game id, version, seq, body
--
-- `told` holds, for each game, the place in its log up to which the player has been told and the
-- id that this got here; and under '-' the last id that was dropped from the log.
--
-- Returns 1 when the event stands there now, 0 when it did before or there is no such player.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local version, seq = tonumber(ARGV[5]), tonumber(ARGV[6])
local told = redis.call('HGET', KEYS[3], ARGV[4])
if told then
  local last_version, last_seq = string.match(told, '^(%d+)-(%d+) ')
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

-- Somebody who plays very many games: those he heard of longest ago are forgotten, half at once.
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
