-- Removes a reservation, if it is still held. Another reservation, or an answer, stays.
--
-- KEYS  answer
-- ARGV  reservation

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
