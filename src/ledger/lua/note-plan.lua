-- Gives a sign of life of who carries a plan out, with what was counted, or says that it has ended.
-- KEYS[1] the plan
-- ARGV[1] who carries it out   ARGV[2] 1 where it has ended   ARGV[3…] field, value, field, value …
-- Answers 1, or 0 where another goes on with it by now.
local plan = KEYS[1]
if redis.call('HGET', plan, 'runner') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', plan, 'sign', now)
if #ARGV > 2 then redis.call('HSET', plan, unpack(ARGV, 3)) end
if ARGV[2] == '1' then redis.call('HSETNX', plan, 'ended', now) end
return 1
