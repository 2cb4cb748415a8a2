-- A page of a sorted set, from the highest score down and from the higher member down where
-- scores are equal: member, score, and so on.
--
-- KEYS  the set
-- ARGV  score, member, limit: the page begins behind the two, whether they are in the set or not
--
-- However many share the cursor's score, they are halved until its place is found, and not read.

-- `<` would go by the locale of the server, a sorted set goes by bytes.
local function comes_behind(member)
  for i = 1, math.min(#member, #ARGV[2]) do
    local ours, theirs = member:byte(i), ARGV[2]:byte(i)
    if ours ~= theirs then
      return ours < theirs
    end
  end
  return #member < #ARGV[2]
end

local first = redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[1], '+inf')
local beyond = first + redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[1])
while first < beyond do
  local middle = math.floor((first + beyond) / 2)
  if comes_behind(redis.call('ZREVRANGE', KEYS[1], middle, middle)[1]) then
    beyond = middle
  else
    first = middle + 1
  end
end
return redis.call('ZREVRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES')
