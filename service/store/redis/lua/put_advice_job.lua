-- Stores an advice job, if the stored one is the one that was read.
--
-- KEYS  job
-- ARGV  body, expires at [, the body it replaces]
--
-- Returns 1 if the body is stored, 0 if another writer was first.

local stored = redis.call('GET', KEYS[1])
-- A missing value is false, and so is a missing argument, by this "or".
if stored ~= ARGV[1] and stored ~= (ARGV[3] or false) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
