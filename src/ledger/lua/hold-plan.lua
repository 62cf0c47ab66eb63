-- Claims a plan, or renews the claim with the progress so far. One process at a time carries a plan out; if its heartbeats stop for some
-- seconds, another process may continue it.
-- @keys plan
-- @args runner what goneAfterMs keepMs by …counted
-- runner: one attempt of a process. what: "claim" | "goes on" | "ended". counted: field, value, field, value …
-- For a claim only: goneAfterMs: ms without a heartbeat after which the other runner is gone. keepMs: for how long the plan is kept from now
-- on. by: who confirms it.
-- Answers 1, or 0 if another runner has the plan by now. A claim is answered by "go", "running", "ended", or "gone": there is no such plan,
-- or it has expired.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('HMGET', plan, 'plan', 'runner', 'sign', 'ended', 'expires')
if what ~= 'claim' then
  if found[2] ~= runner then return 0 end
  redis.call('HSET', plan, 'sign', now, unpack(counted))
  if what == 'ended' then redis.call('HSETNX', plan, 'ended', now) end
  return 1
end
if not found[1] then return 'gone' end
if found[4] then return 'ended' end
if found[2] and found[2] ~= runner and tonumber(found[3]) > now - tonumber(goneAfterMs) then return 'running' end
if not found[2] and tonumber(found[5]) <= now then return 'gone' end
redis.call('HSET', plan, 'runner', runner, 'sign', now, 'came', 0, 'underWay', 0)
redis.call('HSETNX', plan, 'confirmed', now)
redis.call('HSETNX', plan, 'by', by)
redis.call('PEXPIRE', plan, keepMs)
return 'go'
