-- Changes, reschedules or removes a delivery, if it is still the one that was read.
--
-- KEYS  deliveries, due
-- ARGV  id, body that was read, new body ('' removes it), due at
--
-- Returns 1 if it was done, 0 if another caller was first.

if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
return 1
