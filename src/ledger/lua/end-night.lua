-- Notes the end of a night, once: of two runs of it, or of one whose reply was lost, the first counts.
-- KEYS[1] the runs   KEYS[2] the nights of the task that have ended   ARGV[1] task   ARGV[2] night
-- ARGV[3] what is known of the run, as JSON   ARGV[4] the moment that the night is for, in ms
-- ARGV[5] 1 where it came to its end, 0 where it failed   ARGV[6] ended nights that are kept
-- Answers 1, or 0 where it had ended.
local field = ARGV[1] .. ' now'
if string.match(redis.call('HGET', KEYS[1], field) or '', '^(%S+) ') == ARGV[2] then redis.call('HDEL', KEYS[1], field) end
if redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[2]) == 0 then return 0 end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[6]))
redis.call('HSET', KEYS[1], ARGV[1] .. ' last', ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1] .. (ARGV[5] == '1' and ' well' or ' failed'), ARGV[3])
return 1
