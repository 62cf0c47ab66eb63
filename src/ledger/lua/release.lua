-- Gives a claim back, because nothing was made: refused, put off by the service, or never sent.
-- KEYS[1] the call   KEYS[2] the portfolio that asked   KEYS[3] the row that asked   KEYS[4] the account
-- ARGV[1] owner   ARGV[2] "refused" | "throttled" | "unreachable"   ARGV[3] kind
-- A sender that was believed vanished may still hear that nothing was made: then the outcome is no longer unknown.
-- A refusal forgets the call; a repetition after the others is the same request still, and keeps its name.
-- Answers how often the row was put off by now where others of its kind passed in between, else 0; -1 when the claim is not
-- this owner's (any more). Others must have passed twice: once they also do at the beginning of an outage, which puts off
-- some of the calls that are under way and not the others.
local call = redis.call('HMGET', KEYS[1], 'state', 'owner')
if call[2] ~= ARGV[1] or (call[1] ~= 'claimed' and call[1] ~= 'unknown') then return -1 end
if ARGV[2] == 'refused' then
  redis.call('DEL', KEYS[1])
  redis.call('HINCRBY', KEYS[4], 'refused:' .. ARGV[3], 1)
  return 0
end
redis.call('HSET', KEYS[1], 'state', 'free')
redis.call('HDEL', KEYS[1], 'owner', 'heard', 'doubts', 'doubtAt', 'againAt')
if ARGV[2] == 'unreachable' then
  redis.call('HINCRBY', KEYS[2], 'calls:' .. ARGV[3], -1)
  return 0
end
redis.call('HINCRBY', KEYS[2], 'calls:throttled', 1)
if redis.call('EXISTS', KEYS[3]) == 0 then return 0 end
local counts = redis.call('HMGET', KEYS[4], 'made:' .. ARGV[3], 'refused:' .. ARGV[3])
local passed = (counts[1] or 0) + (counts[2] or 0)
local row = redis.call('HMGET', KEYS[3], 'passed', 'overtaken')
local overtaken = tonumber(row[2] or 0)
if row[1] and tonumber(row[1]) < passed then overtaken = overtaken + 1 end
redis.call('HSET', KEYS[3], 'passed', passed, 'overtaken', overtaken)
local putOffs = redis.call('HINCRBY', KEYS[3], 'putOffs', 1)
return overtaken >= 2 and putOffs or 0
