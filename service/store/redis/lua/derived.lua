-- Notes that everything is derived that follows from a game's commits up to a version.
--
-- KEYS  game, behind
-- ARGV  game id, version
--
-- A game that has expired is behind with nothing any more.

local marked = redis.call('HGET', KEYS[1], 'marked')
if not marked or tonumber(marked) <= tonumber(ARGV[2]) then
  redis.call('HDEL', KEYS[1], 'marked', 'derived')
  return redis.call('ZREM', KEYS[2], ARGV[1])
end
if tonumber(redis.call('HGET', KEYS[1], 'derived')) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'derived', ARGV[2])
end
return 0
