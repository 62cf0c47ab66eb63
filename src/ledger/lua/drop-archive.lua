-- Takes back that a portfolio is being archived: nothing has left Redis.
-- KEYS[1] the portfolio   ARGV[1] the archive's id
-- Answers 1 where it is like others now; 0 where it is not on its way under this id, or further.
-- @include archive-is
if not isOnItsWay(KEYS[1], ARGV[1], 'archiving') then return 0 end
return redis.call('HDEL', KEYS[1], 'archive')
