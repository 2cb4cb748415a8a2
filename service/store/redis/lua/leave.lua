-- Ends a visit. The player counts as being here for a moment more: most who leave come back at once.
--
-- KEYS  visits
-- ARGV  until, visit, the visit that stands for the moment

redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
