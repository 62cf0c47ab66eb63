-- Takes an import off those under way. The portfolio is finished now if this was the last thing that it waited for.
-- KEYS[1] the portfolio   KEYS[2] its imports under way
-- ARGV[1] this import   ARGV[2] content that was read to its end, or "" when the import was given up
-- Answers 1.
-- @include move
redis.call('ZREM', KEYS[2], ARGV[1])
-- Whoever read the file to its end did so for all who import the same.
if redis.call('HGET', KEYS[1], 'importing') == ARGV[2] then redis.call('HDEL', KEYS[1], 'importing') end
noteFinish(KEYS[1], nowMs())
return 1
