-- An import says that it is under way.
-- KEYS[1] the portfolio   KEYS[2] its imports under way   ARGV[1] this import
-- Answers 1.
-- @include archived
-- @include move
local archived = archivedError(KEYS[1])
if archived then return archived end
redis.call('ZADD', KEYS[2], nowMs(), ARGV[1])
redis.call('HDEL', KEYS[1], 'finished')
return 1
