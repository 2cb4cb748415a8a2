-- Replaces the bodies of events in a log. An entry of a stream cannot be changed, so the whole log is
-- written again, with the same ids in the same order. Readers see it before or after, never between.
--
-- KEYS  events
-- ARGV  id, body, id, body...

local bodies = {}
for i = 1, #ARGV, 2 do
  bodies[ARGV[i]] = ARGV[i + 1]
end
local log = redis.call('XRANGE', KEYS[1], '-', '+')
local expires_at = redis.call('PEXPIRETIME', KEYS[1])
if #log == 0 then
  return 0
end
redis.call('DEL', KEYS[1])
for _, entry in ipairs(log) do
  redis.call('XADD', KEYS[1], entry[1], 'e', bodies[entry[1]] or entry[2][2])
end
if expires_at > 0 then
  redis.call('PEXPIREAT', KEYS[1], expires_at)
end
return 1
