-- Begins to compare a portfolio's sums with its rows: from now on they stand on the other side, and rows come over one by one
-- (derive.lua). Who finds rows on both sides goes on with what another has begun.
-- @keys portfolio a b
-- The portfolio, and its sums of each side.
-- Answers the side on which all rows are to be.
local side = redis.call('HGET', portfolio, 'side') or 'a'
-- @include archived
if isArchived(portfolio) then return side end
local other = side == 'a' and 'b' or 'a'
if redis.call('EXISTS', side == 'a' and b or a) == 1 then return side end
redis.call('HSET', portfolio, 'side', other)
return other
