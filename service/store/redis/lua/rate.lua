-- Rates a game in a pool, once: writes its players' new ratings.
--
-- KEYS  ratings, board, rated
-- ARGV  game id, now, time before which rated games are forgotten,
--       then for each player: id, the rating it was computed from ('' for none), the new one, its score ('': not on the board)
--
-- Returns 'done', 'before' (the game was rated already), or 'stale' (a rating has changed since,
-- and nothing was written).

if redis.call('ZSCORE', KEYS[3], ARGV[1]) then
  return 'before'
end
for i = 4, #ARGV, 4 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then
    return 'stale'
  end
end
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ARGV[3])
for i = 4, #ARGV, 4 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  if ARGV[i + 3] == '' then
    redis.call('ZREM', KEYS[2], ARGV[i])
  else
    redis.call('ZADD', KEYS[2], ARGV[i + 3], ARGV[i])
  end
end
return 'done'
