-- Takes or extends one of a player's presence leases.
--
-- KEYS  presence
-- ARGV  now, until, lease, prefix of the leases that are counted, limit ('' for none)
--
-- Returns 0 if the limit is reached, 2 if the player was offline, else 1.

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
local others = 0
local counted = 0
for _, lease in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  others = others + 1
  if lease ~= ARGV[3] and string.sub(lease, 1, #ARGV[4]) == ARGV[4] then
    counted = counted + 1
  end
end
if ARGV[5] ~= '' and counted >= tonumber(ARGV[5]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
return others == 0 and 2 or 1
