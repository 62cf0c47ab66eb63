-- Asks for the right to carry a plan out, or gives a sign of life of who has it, with what was counted. One process at a time has it, and
-- whoever comes by a plan whose process gave no sign for some seconds goes on with it.
-- @keys plan
-- @args runner what goneAfterMs keepMs by …counted
-- runner: who asks, one attempt of a process; what: "claim" | "goes on" | "ended"; of a claim, goneAfterMs: ms without a sign after which the
-- other is gone, keepMs: for which a plan is kept from now on, by: who confirms it; counted: field, value, field, value …
-- Answers 1, or 0 where another goes on with it by now; of a claim "go" | "running" | "ended" | "gone": there is none, it has expired, or it
-- is that of another
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
