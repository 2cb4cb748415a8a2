-- Lets a seek wait, or go on waiting, and brings together those who fit.
--
-- KEYS  seeks, waiting (by arrival), ends: of one pool
-- ARGV  seek id, player, now, expires at, life of a match, game id of a match made now
--       [, kind, meets, size, body: without them only a seek that is there goes on]
--
-- Returns its end, the game's id ('' while it waits) and the bodies of all it met, itself
-- among them; nothing where there is no such seek.

local id, player, now = ARGV[1], ARGV[2], tonumber(ARGV[3])
local names = {'player', 'kind', 'meets', 'size', 'body', 'ends', 'game', 'group'}

local function told(seek, name)
  return redis.call('HGET', KEYS[1], seek .. '/' .. name)
end

local function tell(seek, name, value)
  redis.call('HSET', KEYS[1], seek .. '/' .. name, value)
end

local function ends_at(seek, at)
  tell(seek, 'ends', at)
  redis.call('ZADD', KEYS[3], at, seek)
end

local function forget(seek)
  for _, name in ipairs(names) do
    redis.call('HDEL', KEYS[1], seek .. '/' .. name)
  end
  redis.call('ZREM', KEYS[2], seek)
  redis.call('ZREM', KEYS[3], seek)
end

-- Whoever comes sweeps: a pool that nobody comes to vanishes as a whole.
for _, over in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now)) do
  forget(over)
end

local newcomer = not told(id, 'player')
if newcomer then
  if not ARGV[7] then
    return {}
  end
  tell(id, 'player', player)
  for place, name in ipairs({'kind', 'meets', 'size', 'body'}) do
    tell(id, name, ARGV[6 + place])
  end
  redis.call('ZADD', KEYS[2], now, id)
end

local function welcomes(one, other)
  local meets = told(one, 'meets')
  return meets == '' or meets == told(other, 'kind')
end

local function fit(one, other)
  return told(one, 'player') ~= told(other, 'player') and welcomes(one, other) and welcomes(other, one)
end

local function fits(newcomer, group)
  for _, member in ipairs(group) do
    if not fit(newcomer, member) then
      return false
    end
  end
  return true
end

if not told(id, 'game') then
  ends_at(id, ARGV[4])
  local size = tonumber(told(id, 'size'))
  local group = {id}
  -- Of two who fit, the second finds the first when he comes. Of more, the first fit is not
  -- always the best: whoever waits on looks anew, from his own place.
  local others = (newcomer or size > 2) and redis.call('ZRANGE', KEYS[2], 0, -1) or {}
  for _, other in ipairs(others) do
    if #group == size then
      break
    end
    if other ~= id and fits(other, group) then
      table.insert(group, other)
    end
  end
  if #group == size then
    local everybody = table.concat(group, ' ')
    for _, member in ipairs(group) do
      tell(member, 'game', ARGV[6])
      tell(member, 'group', everybody)
      ends_at(member, now + tonumber(ARGV[5]))
      redis.call('ZREM', KEYS[2], member)
    end
  end
end

for _, name in ipairs(KEYS) do
  redis.call('PEXPIRE', name, 2 * tonumber(ARGV[5]))
end

local answer = {told(id, 'ends'), told(id, 'game') or ''}
for member in string.gmatch(told(id, 'group') or id, '%S+') do
  table.insert(answer, told(member, 'body') or '')
end
return answer
