-- Ends a presence lease. A grace lease keeps the player online a little longer: most reconnect at once.
--
-- KEYS  presence
-- ARGV  end of the grace lease, lease, grace lease

redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
