-- A worker process says that it lives, and is told which of its claims others dispute. Processes silent for an hour are
-- forgotten: whatever they were sending counts as vanished long before.
-- @keys workers disputes
-- The workers' signs of life, and the disputes of this process.
-- @args process silentMs
-- silentMs: ms without a sign of anybody after which it was Redis that was away, or all of them.
-- Answers the disputes, { "<kind> <owner> <key>", … }, some at a time. One whose reply is lost is raised again.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newest = redis.call('ZREVRANGE', workers, 0, 0, 'WITHSCORES')
local gap = newest[2] and now - tonumber(newest[2]) or 0
if gap > tonumber(silentMs) or gap < 0 then
  -- Nobody could give a sign, so that time counts for nobody: the first to come back must not take the others for dead.
  -- A sign from the future is one by a clock that went back, and all were given by it.
  for _, each in ipairs(redis.call('ZRANGE', workers, 0, -1)) do redis.call('ZINCRBY', workers, gap, each) end
end
redis.call('ZADD', workers, now, process)
redis.call('ZREMRANGEBYSCORE', workers, '-inf', now - 3600000)
return redis.call('SPOP', disputes, 100)
