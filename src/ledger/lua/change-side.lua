-- Compares a portfolio's sums with its rows. At the beginning the portfolio switches to its other side of sums, and its rows are moved
-- over one by one (derive.lua). If both sides are in use, another check has begun, and this one continues it. When all rows are
-- moved, the rest on the old side belonged to no row. Causes without rows are deleted then.
-- @keys portfolio a b causes
-- The portfolio, its sums of each side, and its causes.
-- @args side
-- The side to which all rows have been moved; "" to begin.
-- With "", answers the side to which rows have to be moved; else { field, value, … } of the rest on the old side, empty if another check
-- has switched sides again.
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
