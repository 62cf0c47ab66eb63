-- Begins to put a portfolio back, or goes on where that was begun before.
-- KEYS[1] the portfolio   ARGV[1] the archive's id   ARGV[2] the state that it comes into, as JSON
-- Answers 1; 0 where it is not archived under this id.
-- @include archive-is
if isOnItsWay(KEYS[1], ARGV[1], 'restoring') then return 1 end
if not isOnItsWay(KEYS[1], ARGV[1], 'archived') then return 0 end
redis.call('HSET', KEYS[1], 'archive', ARGV[2])
return 1
