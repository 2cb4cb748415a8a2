-- Blocks a player.
--
-- KEYS  player, blocks
-- ARGV  id of the blocked player, now, max blocks of a player
--
-- Returns 1 if the player is blocked, 0 if the blocking player does not exist or has reached the limit.

if redis.call('HEXISTS', KEYS[1], 'body') == 0 then
  return 0
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 1
end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
local expires_at = redis.call('PEXPIRETIME', KEYS[1])
if expires_at > 0 then
  redis.call('PEXPIREAT', KEYS[2], expires_at)
end
return 1
