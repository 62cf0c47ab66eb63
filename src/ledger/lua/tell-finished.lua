-- Whether it is for this process to tell that a portfolio is finished: for the first that asks.
-- @keys portfolio
-- @args finished process
-- finished: when it was, in ms.
-- Answers 1, also when the same process asks again, or 0: another tells it, or the portfolio goes on already.
-- @include archived
if isArchived(portfolio) then return 0 end
if redis.call('HGET', portfolio, 'finished') ~= finished then return 0 end
local mine = finished .. ' ' .. process
local told = redis.call('HGET', portfolio, 'told')
if told == mine then return 1 end
if told and string.sub(told, 1, #finished + 1) == finished .. ' ' then return 0 end
redis.call('HSET', portfolio, 'told', mine)
return 1
