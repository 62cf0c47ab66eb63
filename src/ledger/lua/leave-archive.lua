-- The files of an archive are there, and are what is in Redis: from now on the portfolio is one of those that leave.
-- KEYS[1] the portfolio   KEYS[2] all portfolios   KEYS[3] those that left
-- ARGV[1] the archive's id   ARGV[2] the state, as JSON   ARGV[3] the portfolio's name   ARGV[4] now, in ms
-- Answers 1; 0 where another archives it by now.
-- @include archive-is
local portfolio, portfolios, archives = unpack(KEYS)
if isOnItsWay(portfolio, ARGV[1], 'leaving') then return 1 end
if not isOnItsWay(portfolio, ARGV[1], 'archiving') then return 0 end
redis.call('HSET', portfolio, 'archive', ARGV[2])
redis.call('ZREM', portfolios, ARGV[3])
redis.call('ZADD', archives, ARGV[4], ARGV[3])
return 1
