-- Takes a secret, if nobody did before.
--
-- KEYS  secret
-- ARGV  who takes it: drawn anew for each call
--
-- Returns the body, nothing where there is none or another has it. What was taken keeps its name until
-- its end: the taker may ask again after a broken connection, and nobody puts another in its place.

local stored = redis.call('HMGET', KEYS[1], 'body', 'taker')
if not stored[1] or (stored[2] and stored[2] ~= ARGV[1]) then
  return false
end
redis.call('HSET', KEYS[1], 'taker', ARGV[1])
return stored[1]
