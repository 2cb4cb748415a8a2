-- Stores a token, if its player exists.
--
-- KEYS  player
-- ARGV  field of the token, body
--
-- Returns 1 if it was stored, 0 without the player.

if redis.call('HEXISTS', KEYS[1], 'body') == 0 then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
