-- Moves or removes a due time, if it is the expected one.
--
-- KEYS  due, attempts
-- ARGV  game id, expected due time ('' for any), new due time ('' removes it), attempt ('' keeps it)
--
-- Returns 1 if it was moved, 0 if another caller was first.

local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or (ARGV[2] ~= '' and tonumber(at) ~= tonumber(ARGV[2])) then
  return 0
end
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
  return 1
end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[4])
end
return 1
