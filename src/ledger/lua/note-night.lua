-- Notes that a nightly run begins, ends, or is left to another process. A night ends once; a later end changes nothing.
-- @keys runs ended
-- The runs, and the task's ended nights.
-- @args what task night run atMs how kept
-- what: "begin" | "end" | "leave"; run: the run, as JSON; atMs: the due time of the night; for an end, how: "well" or "failed", and
-- kept: how many ended nights are kept.
-- Answers to a beginning 0 if the night has ended, else how often it was begun, this time included. A run that kills its process each time
-- can be stopped by that number. A repeated beginning counts twice. Answers to an end 1, or 0 if the night had ended: of two ends the first
-- counts.
local field = task .. ' now'
local of, begun, rest = string.match(redis.call('HGET', runs, field) or '', '^(%S+) (%d+) (.*)$')
local count = of == night and tonumber(begun) or 0
local function write(times, text)
  if times > 0 then redis.call('HSET', runs, field, night .. ' ' .. times .. ' ' .. text) else redis.call('HDEL', runs, field) end
end
if what == 'begin' then
  if redis.call('ZSCORE', ended, night) then return 0 end
  write(count + 1, run)
  return count + 1
end
-- A run left because its process stops does not count as begun. A repetition takes one beginning too many back, which is harmless.
if of == night then write(what == 'leave' and count - 1 or 0, rest) end
if what == 'leave' or redis.call('ZADD', ended, 'NX', atMs, night) == 0 then return 0 end
redis.call('ZREMRANGEBYRANK', ended, 0, -1 - tonumber(kept))
redis.call('HSET', runs, task .. ' last', run, task .. ' ' .. how, run)
return 1
