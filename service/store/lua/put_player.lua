-- Stores a player's body, if the stored one is still the one that was read.
--
-- KEYS  player
-- ARGV  body, expires at ('' for never) [, the body it replaces]
--
-- Returns 1 when the body stands, 0 when another writer was first.

local stored = redis.call('HGET', KEYS[1], 'body')
-- HGET answers false where there is none, and so does a missing argument by this "or".
if stored ~= ARGV[1] and stored ~= (ARGV[3] or false) then
  return 0
end
redis.call('HSET', KEYS[1], 'body', ARGV[1])
if ARGV[2] == '' then
  redis.call('PERSIST', KEYS[1])
else
  redis.call('PEXPIREAT', KEYS[1], ARGV[2])
end
return 1
