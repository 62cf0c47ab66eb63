-- Asks that so many rows of a portfolio go first, and the others when it is resumed. Those that went first already count:
-- asked for more, it goes on with the next ones; asked for no more, it stays as it is.
-- @keys portfolio chosen
-- The portfolio, and the set of the chosen.
-- @args count
-- How many.
-- Answers 1.
-- @include archived
-- @include end-first
local archived = archivedError(portfolio)
if archived then return archived end
redis.call('HSET', portfolio, 'first', count)
if redis.call('SCARD', chosen) < tonumber(count) then endFirst(portfolio) end
return 1
