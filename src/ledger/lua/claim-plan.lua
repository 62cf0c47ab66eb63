-- Asks for the right to carry a plan out: one process at a time has it, and whoever comes by a plan whose process gave no
-- sign for some seconds goes on with it.
-- @keys plan
-- @args runner goneAfterMs keepMs by
-- runner: who asks, one attempt of a process; goneAfterMs: ms without a sign after which the other is gone; keepMs: ms for which a plan
-- is kept from now on; by: who confirms it.
-- Answers "go" | "running" | "ended" | "gone": there is none, it has expired, or it is that of another
local found = redis.call('HMGET', plan, 'plan', 'runner', 'sign', 'ended', 'expires')
if not found[1] then return 'gone' end
if found[4] then return 'ended' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if found[2] and found[2] ~= runner and tonumber(found[3]) > now - tonumber(goneAfterMs) then return 'running' end
if not found[2] and tonumber(found[5]) <= now then return 'gone' end
redis.call('HSET', plan, 'runner', runner, 'sign', now, 'came', 0, 'underWay', 0)
redis.call('HSETNX', plan, 'confirmed', now)
redis.call('HSETNX', plan, 'by', by)
redis.call('PEXPIRE', plan, keepMs)
return 'go'
