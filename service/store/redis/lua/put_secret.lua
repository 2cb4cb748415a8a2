-- Stores a one-time secret, unless its name is in use.
--
-- KEYS  secret
-- ARGV  body, expires at
--
-- Returns 1 if this body is stored, or was until it was taken; 0 if the name has another body.

local stored = redis.call('HGET', KEYS[1], 'body')
if stored then
  return stored == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'body', ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
