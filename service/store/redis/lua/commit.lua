-- Commits one change of a game or a score sheet, completely or not at all.
--
-- KEYS  game or sheet, events (for a sheet itself), due, attempts, outbox [, answer]
-- ARGV  expected version, new version, id of this commit, state, expires at,
--       due at ('' for never), its id, effects due at ('' if the commit has no effects)
--       [, reservation, answer, lifetime of an answer in ms], events...
--
-- Returns 'done', 'pending' (done, and effects of an earlier commit may still be pending), 'lost'
-- (the reservation is no longer held), or the version the game is at (0 for none). All checks come
-- before the first write.

local stored = redis.call('HMGET', KEYS[1], 'version', 'trail')
local version = tonumber(stored[1] or '0')
local trail = stored[2] or ''
local expected = tonumber(ARGV[1])

if version ~= expected then
  -- After a broken connection the same commit is sent again. The trail holds the ids of the last
  -- 32 commits, newest first, 8 bytes each: is the one after the expected version this commit?
  local newer = version - expected - 1
  if newer >= 0 and string.sub(trail, newer * 8 + 1, newer * 8 + 8) == ARGV[3] then
    return 'pending'
  end
  return version
end

local first_event = 9
if KEYS[6] then
  if redis.call('GET', KEYS[6]) ~= ARGV[9] then
    return 'lost'
  end
  first_event = 12
end

-- The log is written first: if the server refuses the first write (out of memory, a read-only
-- replica), the script stops with nothing written.
for i = first_event, #ARGV do
  redis.call('XADD', KEYS[2], ARGV[2] .. '-' .. (i - first_event), 'e', ARGV[i])
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[4],
  'trail', string.sub(ARGV[3] .. trail, 1, 32 * 8))
local outcome = 'done'
if ARGV[8] ~= '' then
  -- The first commit with pending effects records where they begin: all earlier ones are done.
  if redis.call('HSETNX', KEYS[1], 'derived', ARGV[1]) == 0 then
    outcome = 'pending'
  end
  redis.call('HSET', KEYS[1], 'marked', ARGV[2])
  redis.call('ZADD', KEYS[5], 'NX', ARGV[8], ARGV[7])
end

redis.call('PEXPIREAT', KEYS[1], ARGV[5])
redis.call('PEXPIREAT', KEYS[2], ARGV[5])

if ARGV[6] == '' then
  redis.call('ZREM', KEYS[3], ARGV[7])
else
  redis.call('ZADD', KEYS[3], ARGV[6], ARGV[7])
end
redis.call('HDEL', KEYS[4], ARGV[7])

if KEYS[6] then
  redis.call('SET', KEYS[6], ARGV[10], 'PX', ARGV[11])
  redis.call('PEXPIREAT', KEYS[6], ARGV[5], 'LT')
end
return outcome
