-- Stores a player's body, if the stored one is the one that was read.
--
-- KEYS  player, webhooks, blocks
-- ARGV  body, expires at ('' for never) [, the body it replaces]
--
-- Returns 1 if the body is stored, 0 if another writer was first.

local stored = redis.call('HGET', KEYS[1], 'body')
-- A missing value is false, and so is a missing argument, by this "or".
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
