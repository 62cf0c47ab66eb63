-- Lists held rows on the desk as they are: those that are held, by when they were, and no others.
-- KEYS[1] the held rows of all portfolios   KEYS[2…] rows   ARGV[1…] their names, "<portfolio>/<key>", in the same order
-- Answers how many were listed otherwise.
local mended = 0
for at = 2, #KEYS do
  local name = ARGV[at - 1]
  local found = redis.call('HMGET', KEYS[at], 'state', 'updated')
  local isListed = redis.call('ZSCORE', KEYS[1], name) ~= false
  if found[1] == 'held' and not isListed then
    mended = mended + redis.call('ZADD', KEYS[1], found[2] or 0, name)
  elseif found[1] ~= 'held' and isListed then
    mended = mended + redis.call('ZREM', KEYS[1], name)
  end
end
return mended
