-- Keeps how far a piece of work has come, if what is kept is still what was read.
--
-- KEYS  work
-- ARGV  body, expires at [, the body it replaces]
--
-- Returns 1 when the body stands, 0 when another writer was first.

local stored = redis.call('GET', KEYS[1])
-- GET answers false where there is none, and so does a missing argument by this "or".
if stored ~= ARGV[1] and stored ~= (ARGV[3] or false) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
