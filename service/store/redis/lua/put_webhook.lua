-- Stores a webhook of a player, if the stored one is the one that was read.
--
-- KEYS  player, webhooks
-- ARGV  webhook id, body, the body it replaces ('' for a new one), max webhooks of a player
--
-- Returns 1 if the body is stored, 0 if another writer was first, the player does not exist, or
-- they have reached the limit.

if redis.call('HEXISTS', KEYS[1], 'body') == 0 then
  return 0
end
local stored = redis.call('HGET', KEYS[2], ARGV[1]) or ''
if stored == ARGV[2] then
  return 1 -- sent twice, after a broken connection
end
if stored ~= ARGV[3] then
  return 0
end
if stored == '' and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
local expires_at = redis.call('PEXPIRETIME', KEYS[1])
if expires_at > 0 then
  redis.call('PEXPIREAT', KEYS[2], expires_at)
end
return 1
