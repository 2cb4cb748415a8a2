-- Stores a player's body, if the stored one is still the one that was read.
--
-- KEYS  player, webhooks
-- ARGV  body, expires at ('' for never) [, the body it replaces]
--
-- Returns 1 when the body stands, 0 when another writer was first.

local stored = redis.call('HGET', KEYS[1], 'body')
-- HGET answers false where there is none, and so does a missing argument by this "or".
if stored ~= ARGV[1] and stored ~= (ARGV[3] or false) then
  return 0
end
redis.call('HSET', KEYS[1], 'body', ARGV[1])
for _, key in ipairs(KEYS) do
  if ARGV[2] == '' then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIREAT', key, ARGV[2])
  end
end
return 1
