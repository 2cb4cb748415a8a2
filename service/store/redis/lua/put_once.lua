-- Stores a secret that can be taken once, unless another has its name.
--
-- KEYS  secret
-- ARGV  body, expires at
--
-- Returns 1 when the body stands, or stood until it was taken; 0 where the name is another's.

local stored = redis.call('HGET', KEYS[1], 'body')
if stored then
  return stored == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'body', ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
