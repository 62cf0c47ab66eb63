-- Begins to put a portfolio back, or goes on where that was begun before: then no longer does whoever began it.
-- KEYS[1] the portfolio
-- ARGV[1] the archive's id   ARGV[2] the state that it comes into, as JSON   ARGV[3] names this run among all there ever were
-- Answers 1; 0 where it is not archived under this id.
-- @include archive-is
local portfolio, id, state, run = KEYS[1], unpack(ARGV)
local isBegun = isOnItsWay(portfolio, id, 'restoring')
if not isBegun and not isOnItsWay(portfolio, id, 'archived') then return 0 end
local known = cjson.decode(isBegun and redis.call('HGET', portfolio, 'archive') or state)
known.run = run
redis.call('HSET', portfolio, 'archive', cjson.encode(known))
return 1
