-- All of a portfolio is back but its hash: that comes back too, and it is one of the account's portfolios again, at its old place.
-- KEYS[1] the portfolio   KEYS[2] all portfolios   KEYS[3] those that left   KEYS[4] the key of an approval, less its id
-- KEYS[5…] its rows in each state
-- ARGV[1] the run   ARGV[2] the portfolio's name   ARGV[3] when it was begun, in ms   ARGV[4] how many rows it has
-- ARGV[5…] the lines of its hash (archive-lines.lua)
-- Answers 1, also repeated; 0 where other rows are there than it has; -1 where it does not come back by this run.
-- @include archive-is
-- @include archive-lines
-- @include restore-piece
local portfolio, portfolios, archives = unpack(KEYS, 1, 3)
local run, name, startedMs, rows = unpack(ARGV, 1, 4)
if redis.call('HEXISTS', portfolio, 'archive') == 0 and redis.call('ZSCORE', portfolios, name) then return 1 end
if not isComingBack(portfolio, run) then return -1 end
local there = 0
for at = 5, #KEYS do there = there + redis.call('ZCARD', KEYS[at]) end
if there ~= tonumber(rows) then return 0 end
redis.call('DEL', portfolio)
for at = 5, #ARGV do putPiece(portfolio, decodeLine(ARGV[at])) end
redis.call('ZADD', portfolios, startedMs, name)
redis.call('ZREM', archives, name)
return 1
