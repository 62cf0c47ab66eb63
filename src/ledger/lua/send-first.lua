-- Asks that so many rows of a portfolio go first, and the others when it is resumed. Those that went first already count:
-- asked for more, it goes on with the next ones; asked for no more, it stays as it is.
-- KEYS[1] the portfolio   KEYS[2] the set of the chosen
-- ARGV[1] how many
-- Answers 1.
-- @include archived
-- @include end-first
local portfolio, chosen = unpack(KEYS)
local archived = archivedError(portfolio)
if archived then return archived end
redis.call('HSET', portfolio, 'first', ARGV[1])
if redis.call('SCARD', chosen) < tonumber(ARGV[1]) then endFirst(portfolio) end
return 1
