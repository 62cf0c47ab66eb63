-- A process says that it runs and what it does, and is told what an operator wishes of it.
-- KEYS[1] the fleet   ARGV[1] process   ARGV[2] what it says of itself, as JSON
-- Answers the wish, or nothing.
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000) .. ' ' .. ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1] .. ' wish')
