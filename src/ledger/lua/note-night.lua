-- Notes that a run of a night begins, ends, or is left to another process. A night ends once: whoever comes later does nothing.
-- @keys runs ended
-- The runs, and the nights of the task that have ended.
-- @args what task night run atMs how kept
-- what: "begin" | "end" | "leave"; run: what is known of it, as JSON; atMs: the moment that the night is for; of an end, how: "well" or
-- "failed", and kept: how many ended nights are.
-- Answers of a beginning 0 where the night has ended, else how often it was begun, this time included: beginning again where a run died
-- counts, so that one that kills its process each time comes to an end. Run twice for one beginning, it counts two. Of an end 1, or 0 where it
-- had ended: of two runs, or of one whose reply was lost, the first counts.
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
-- Where it goes on elsewhere since its process stops, that is no death. A repetition takes back one beginning too many, which is harmless.
if of == night then write(what == 'leave' and count - 1 or 0, rest) end
if what == 'leave' or redis.call('ZADD', ended, 'NX', atMs, night) == 0 then return 0 end
redis.call('ZREMRANGEBYRANK', ended, 0, -1 - tonumber(kept))
redis.call('HSET', runs, task .. ' last', run, task .. ' ' .. how, run)
return 1
