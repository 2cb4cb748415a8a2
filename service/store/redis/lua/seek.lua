-- Adds or extends a seek, and matches it with others that fit.
--
-- KEYS  seeks, waiting (by arrival), ends: of one pool
-- ARGV  seek id, player, now, expires at, lifetime of a match in ms, game id for a new match, ids of
--       players it never matches with, each between spaces
--       [, kind, meets, size, body: without them an existing seek is extended]
--
-- Returns its end, the game's id ('' while it waits) and the bodies of all matched seeks, its own
-- among them; nothing if the seek does not exist.

local id, player, now = ARGV[1], ARGV[2], tonumber(ARGV[3])
local names = {'player', 'kind', 'meets', 'size', 'body', 'ends', 'game', 'group', 'blocked'}

local function get(seek, name)
  return redis.call('HGET', KEYS[1], seek .. '/' .. name)
end

local function set(seek, name, value)
  redis.call('HSET', KEYS[1], seek .. '/' .. name, value)
end

local function ends_at(seek, at)
  set(seek, 'ends', at)
  redis.call('ZADD', KEYS[3], at, seek)
end

local function forget(seek)
  for _, name in ipairs(names) do
    redis.call('HDEL', KEYS[1], seek .. '/' .. name)
  end
  redis.call('ZREM', KEYS[2], seek)
  redis.call('ZREM', KEYS[3], seek)
end

-- Every call removes the seeks that are over. A pool without calls expires as a whole.
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now)) do
  forget(expired)
end

local newcomer = not get(id, 'player')
if newcomer then
  if not ARGV[8] then
    return {}
  end
  set(id, 'player', player)
  for place, name in ipairs({'kind', 'meets', 'size', 'body'}) do
    set(id, name, ARGV[7 + place])
  end
  redis.call('ZADD', KEYS[2], now, id)
end

set(id, 'blocked', ARGV[7])

local function blocks(one, other)
  -- A seek of an older release has no list.
  return string.find(get(one, 'blocked') or '', ' ' .. get(other, 'player') .. ' ', 1, true)
end

local function accepts(one, other)
  local meets = get(one, 'meets')
  return meets == '' or meets == get(other, 'kind')
end

local function fit(one, other)
  return get(one, 'player') ~= get(other, 'player') and accepts(one, other) and accepts(other, one)
    and not blocks(one, other) and not blocks(other, one)
end

local function fits(newcomer, group)
  for _, member in ipairs(group) do
    if not fit(newcomer, member) then
      return false
    end
  end
  return true
end

if not get(id, 'game') then
  ends_at(id, ARGV[4])
  local size = tonumber(get(id, 'size'))
  local group = {id}
  -- In a pair, the newer seek finds the older one when it is added. In a larger group the first fit
  -- may be a dead end, so every renewal tries again, starting from its own seek.
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
    local everyone = table.concat(group, ' ')
    for _, member in ipairs(group) do
      set(member, 'game', ARGV[6])
      set(member, 'group', everyone)
      ends_at(member, now + tonumber(ARGV[5]))
      redis.call('ZREM', KEYS[2], member)
    end
  end
end

for _, name in ipairs(KEYS) do
  redis.call('PEXPIRE', name, 2 * tonumber(ARGV[5]))
end

local answer = {get(id, 'ends'), get(id, 'game') or ''}
for member in string.gmatch(get(id, 'group') or id, '%S+') do
  table.insert(answer, get(member, 'body') or '')
end
return answer
