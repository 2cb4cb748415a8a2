-- Ends a waiting seek.
--
-- KEYS  seeks, waiting, ends: of one pool
-- ARGV  seek id, now
--
-- Returns the game's id if the seek was matched before, '' if it was ended now, nothing if it does
-- not exist.

local function get(name)
  return redis.call('HGET', KEYS[1], ARGV[1] .. '/' .. name)
end

if tonumber(get('ends') or 0) <= tonumber(ARGV[2]) then
  return false
end
local game = get('game')
if game then
  return game
end
for _, name in ipairs({'player', 'kind', 'meets', 'size', 'body', 'ends', 'blocked'}) do
  redis.call('HDEL', KEYS[1], ARGV[1] .. '/' .. name)
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return ''
