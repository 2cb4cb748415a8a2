-- Returns a page of a sorted set, by score and then by member, both descending: member, score,
-- repeated.
--
-- KEYS  the set
-- ARGV  score, member, limit: the page starts after these two, whether or not they are in the set
--
-- A binary search finds the cursor's position among the members with its score, without reading all.

-- `<` compares by the server's locale, a sorted set by bytes.
local function comes_after(member)
  for i = 1, math.min(#member, #ARGV[2]) do
    local ours, theirs = member:byte(i), ARGV[2]:byte(i)
    if ours ~= theirs then
      return ours < theirs
    end
  end
  return #member < #ARGV[2]
end

local first = redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[1], '+inf')
local last = first + redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[1])
while first < last do
  local middle = math.floor((first + last) / 2)
  if comes_after(redis.call('ZREVRANGE', KEYS[1], middle, middle)[1]) then
    last = middle
  else
    first = middle + 1
  end
end
return redis.call('ZREVRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES')
