-- Notes that a player is here, or still here, by one visit among his others.
--
-- KEYS  visits
-- ARGV  now, until, visit, what the visits begin with that are counted, how many there may be ('' any number)
--
-- Returns 0 where there are as many already, 2 where the player was not here, else 1.

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
local others = 0
local counted = 0
for _, visit in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  others = others + 1
  if visit ~= ARGV[3] and string.sub(visit, 1, #ARGV[4]) == ARGV[4] then
    counted = counted + 1
  end
end
if ARGV[5] ~= '' and counted >= tonumber(ARGV[5]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
return others == 0 and 2 or 1
