-- Counts hits in a window of time.
--
-- KEYS  the window, the window before it
-- ARGV  hits (below 0 gives some back), expires at
--
-- Returns what was counted in the window before, and in this one so far.

local counted = redis.call('INCRBY', KEYS[1], ARGV[1])
if counted < 0 then
  counted = 0
  redis.call('SET', KEYS[1], 0)
end
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return {tonumber(redis.call('GET', KEYS[2]) or 0), counted}
