-- Records that the effects of a game's commits up to a version are done.
--
-- KEYS  game, outbox
-- ARGV  game id, version
--
-- An expired game leaves the outbox.

local marked = redis.call('HGET', KEYS[1], 'marked')
if not marked or tonumber(marked) <= tonumber(ARGV[2]) then
  redis.call('HDEL', KEYS[1], 'marked', 'derived')
  return redis.call('ZREM', KEYS[2], ARGV[1])
end
if tonumber(redis.call('HGET', KEYS[1], 'derived')) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'derived', ARGV[2])
end
return 0
