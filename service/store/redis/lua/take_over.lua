-- Replaces the reservation of another request, if there is still no answer.
--
-- KEYS  answer
-- ARGV  the other reservation, this reservation, its lifetime in ms
--
-- Returns 1 if this reservation is held now.

local record = redis.call('GET', KEYS[1])
if record == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return 1
end
-- Sent twice, after a broken connection.
return record == ARGV[2] and 1 or 0
