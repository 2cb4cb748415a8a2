-- Queues deliveries; those already queued stay as they are.
--
-- KEYS  deliveries, due
-- ARGV  due at, then for each: id, body

for i = 2, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) == 1 then
    redis.call('ZADD', KEYS[2], ARGV[1], ARGV[i])
  end
end
return 1
