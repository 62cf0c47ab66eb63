-- Whether it is for this process to tell that a portfolio settled: for the first that asks.
-- KEYS[1] the portfolio   ARGV[1] when it settled, in ms   ARGV[2] process
-- Answers 1, also when the same process asks again, or 0: another tells it, or the portfolio goes on already.
if redis.call('HGET', KEYS[1], 'finished') ~= ARGV[1] then return 0 end
local mine = ARGV[1] .. ' ' .. ARGV[2]
local told = redis.call('HGET', KEYS[1], 'told')
if told == mine then return 1 end
if told and string.sub(told, 1, #ARGV[1] + 1) == ARGV[1] .. ' ' then return 0 end
redis.call('HSET', KEYS[1], 'told', mine)
return 1
