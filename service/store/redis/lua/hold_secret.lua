-- Holds a secret that may be used again, and sets its expiry.
--
-- KEYS  secret
-- ARGV  holder, expires at, '1' to hold it in place of another holder
--
-- Returns 1 if it is held, 0 if another holder has it, nothing if it is gone or was taken.

local stored = redis.call('HMGET', KEYS[1], 'body', 'taker', 'holder')
if not stored[1] or stored[2] then
  return false
end
if stored[3] and stored[3] ~= ARGV[1] and ARGV[3] ~= '1' then
  return 0
end
redis.call('HSET', KEYS[1], 'holder', ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
