-- Gives a sign of life of who carries a plan out, with what was counted, or says that it has ended.
-- @keys plan
-- @args runner ends …counts
-- runner: who carries it out; ends: 1 where it has ended; counts: field, value, field, value, …
-- Answers 1, or 0 where another goes on with it by now.
if redis.call('HGET', plan, 'runner') ~= runner then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', plan, 'sign', now)
if #counts > 0 then redis.call('HSET', plan, unpack(counts)) end
if ends == '1' then redis.call('HSETNX', plan, 'ended', now) end
return 1
