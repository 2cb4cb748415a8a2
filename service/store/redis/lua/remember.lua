-- Replaces a reservation by its answer, if it is still held.
--
-- KEYS  answer [, game]
-- ARGV  reservation, answer, lifetime of an answer in ms
--
-- Returns 1 if the answer is stored, 0 if the reservation was lost.

local record = redis.call('GET', KEYS[1])
if record == ARGV[2] then
  return 1 -- sent twice, after a broken connection
end
if record ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if KEYS[2] then
  local expires_at = redis.call('PEXPIRETIME', KEYS[2])
  if expires_at > 0 then
    redis.call('PEXPIREAT', KEYS[1], expires_at, 'LT')
  end
end
return 1
