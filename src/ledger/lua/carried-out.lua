-- What was approved of a row is carried out: it leaves the rows of the approval, which is forgotten among those to carry out with
-- the last of them.
-- KEYS[1] the row   KEYS[2] the approval's rows   KEYS[3] what was answered and is not carried out yet
-- ARGV[1] row key   ARGV[2] id of the approval   ARGV[3] the portfolio's name
-- Answers how many rows are left.
-- @include archived
local archived = archivedError(portfolioOfRow(KEYS[1]))
if archived then return archived end
if redis.call('HGET', KEYS[1], 'approval') == ARGV[2] then redis.call('HDEL', KEYS[1], 'answer') end
redis.call('ZREM', KEYS[2], ARGV[1])
local left = redis.call('ZCARD', KEYS[2])
if left == 0 then redis.call('ZREM', KEYS[3], ARGV[3] .. '/' .. ARGV[2]) end
return left
