-- A process says that it runs and what it does, and is told what an operator has told it to do.
-- @keys fleet
-- @args process says
-- says: what it says of itself, as JSON.
-- Answers the instruction (`wish`), or nothing.
local time = redis.call('TIME')
redis.call('HSET', fleet, process, time[1] * 1000 + math.floor(time[2] / 1000) .. ' ' .. says)
return redis.call('HGET', fleet, process .. ' wish')
