-- Compares a portfolio's sums with its rows: from the beginning on they stand on the other side, and rows come over one by one
-- (derive.lua). Who finds rows on both sides goes on with what another has begun. When every row has come over, what is left on the
-- old side was no row's, and causes of which no row is left are forgotten.
-- @keys portfolio a b causes
-- The portfolio, its sums of each side, and its causes.
-- @args side
-- The side on which the rows are, where every row has come over; "" to begin.
-- Answers to who begins the side on which all rows are to be; to others { field, value, … } of what was left, nothing where another has
-- changed the side again.
-- @include archived
local now, sums = redis.call('HGET', portfolio, 'side') or 'a', { a = a, b = b }
local other = (side == '' and now or side) == 'a' and 'b' or 'a'
if side == '' then
  if isArchived(portfolio) or redis.call('EXISTS', sums[other]) == 1 then return now end
  redis.call('HSET', portfolio, 'side', other)
  return other
end
if isArchived(portfolio) then return {} end
for _, cause in ipairs(redis.call('HKEYS', causes)) do
  if redis.call('EXISTS', portfolio .. ':cause:' .. cause) == 0 then redis.call('HDEL', causes, cause) end
end
if now ~= side then return {} end
local left = redis.call('HGETALL', sums[other])
redis.call('DEL', sums[other])
return left
