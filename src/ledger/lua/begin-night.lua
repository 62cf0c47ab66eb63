-- Notes that a run of a night begins, unless the night has ended: whoever comes later does nothing. Beginning again where a run
-- died counts, so that one that kills its process each time comes to an end.
-- KEYS[1] the runs   KEYS[2] the nights of the task that have ended   ARGV[1] task   ARGV[2] night
-- ARGV[3] what is known of the run, as JSON   ARGV[4] the moment that the night is for, in ms
-- Answers 0 where it has ended, else how often it was begun, this time included. Run twice for one beginning, it counts two.
if redis.call('ZSCORE', KEYS[2], ARGV[2]) then return 0 end
local field = ARGV[1] .. ' now'
local night, begun = string.match(redis.call('HGET', KEYS[1], field) or '', '^(%S+) (%d+) ')
local count = night == ARGV[2] and tonumber(begun) + 1 or 1
redis.call('HSET', KEYS[1], field, ARGV[2] .. ' ' .. count .. ' ' .. ARGV[3])
return count
