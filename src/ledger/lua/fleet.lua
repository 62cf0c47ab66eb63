-- The processes of the account. Each script of this file begins with its name.

-- @script alive
-- Takes the heartbeat of a worker process and answers which of its claims others dispute. Processes silent for an hour are
-- deleted: their claims count as abandoned long before.
-- @keys workers disputes
-- Keys: workers: the heartbeats of workers; disputes: what others dispute of the claims of this process.
-- @args process silentMs
-- silentMs: a longer gap without any heartbeat means that Redis was away, or all workers were.
-- Answers up to 100 disputes, { "<kind> <owner> <key>", … }. If the reply is lost, others raise these disputes again.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newest = redis.call('ZREVRANGE', workers, 0, 0, 'WITHSCORES')
local gap = newest[2] and now - tonumber(newest[2]) or 0
if gap > tonumber(silentMs) or gap < 0 then
  -- While Redis was away, no process could send a heartbeat. So that time is added to every heartbeat: otherwise the first process to
  -- return would take all others for dead. Heartbeats in the future are from before the clock was set back, and are set back too.
  for _, each in ipairs(redis.call('ZRANGE', workers, 0, -1)) do redis.call('ZINCRBY', workers, gap, each) end
end
redis.call('ZADD', workers, now, process)
redis.call('ZREMRANGEBYSCORE', workers, '-inf', now - 3600000)
return redis.call('SPOP', disputes, 100)

-- @script say-process
-- Writes the status of a process, and answers what an operator asked it to do.
-- @keys fleet
-- @args process says
-- says: the status, as JSON.
-- Answers the operator's request, or nil.
local time = redis.call('TIME')
redis.call('HSET', fleet, process, time[1] * 1000 + math.floor(time[2] / 1000) .. ' ' .. says)
return redis.call('HGET', fleet, process .. ' wish')
