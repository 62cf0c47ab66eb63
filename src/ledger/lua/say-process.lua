-- Writes the status of a process, and answers what an operator asked it to do.
-- @keys fleet
-- @args process says
-- says: the status, as JSON.
-- Answers the operator's request, or nil.
local time = redis.call('TIME')
redis.call('HSET', fleet, process, time[1] * 1000 + math.floor(time[2] / 1000) .. ' ' .. says)
return redis.call('HGET', fleet, process .. ' wish')
