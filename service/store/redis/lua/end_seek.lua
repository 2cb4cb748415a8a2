-- Ends a seek that still waits.
--
-- KEYS  seeks, waiting, ends: of one pool
-- ARGV  seek id, now
--
-- Returns the game's id where it has met somebody already, '' when it was ended, nothing
-- where there is no such seek any more.

local function told(name)
  return redis.call('HGET', KEYS[1], ARGV[1] .. '/' .. name)
end

if tonumber(told('ends') or 0) <= tonumber(ARGV[2]) then
  return false
end
local game = told('game')
if game then
  return game
end
for _, name in ipairs({'player', 'kind', 'meets', 'size', 'body', 'ends'}) do
  redis.call('HDEL', KEYS[1], ARGV[1] .. '/' .. name)
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return ''
