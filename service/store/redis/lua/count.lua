-- Adds hits to a window of time.
--
-- KEYS  the window, the previous window
-- ARGV  hits (negative to refund), expires at
--
-- Returns the counts of the previous window and of this one.

local counted = redis.call('INCRBY', KEYS[1], ARGV[1])
if counted < 0 then
  counted = 0
  redis.call('SET', KEYS[1], 0)
end
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return {tonumber(redis.call('GET', KEYS[2]) or 0), counted}
