-- Takes a one-time secret, if it was not taken before.
--
-- KEYS  secret
-- ARGV  taker: random, new for each call
--
-- Returns the body, nothing if there is none or another caller took it. A taken secret stays until
-- its expiry: the taker may repeat the call after a broken connection, and its name is not used again.

local stored = redis.call('HMGET', KEYS[1], 'body', 'taker')
if not stored[1] or (stored[2] and stored[2] ~= ARGV[1]) then
  return false
end
redis.call('HSET', KEYS[1], 'taker', ARGV[1])
return stored[1]
