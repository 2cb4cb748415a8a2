-- Returns the due games of one shard, the longest due first: game id, due time, attempt, repeated.
--
-- KEYS  due, attempts
-- ARGV  now, limit

local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local entries = {}
for i = 1, #found, 2 do
  table.insert(entries, found[i])
  table.insert(entries, found[i + 1])
  table.insert(entries, redis.call('HGET', KEYS[2], found[i]) or '0')
end
return entries
