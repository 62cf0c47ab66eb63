-- Writes down what is known of a file that was taken from a drop folder, all of it anew. Beyond the newest so many, the oldest are forgotten.
-- @keys files contents lately open
-- What became of files, contents that were imported, all of them by time, and those without results.
-- @args id file atMs content isOpen kept
-- file: as JSON; atMs: when it was taken; content: its digest, or "" where it was not imported; isOpen: 1 where its results are still to be
-- written; kept: how many are kept.
-- Answers 1.
-- A process that was held up knows what it reads as under way still, and another has brought it to its end.
local before, now = redis.call('HGET', files, id), cjson.decode(file)
if before and now.is == 'taken' and now.content and cjson.decode(before).is ~= 'taken' then return 1 end
redis.call('HSET', files, id, file)
redis.call('ZADD', lately, 'NX', atMs, id)
-- Who imported it first has it: a second import of it says whose it was.
if content ~= '' then redis.call('HSETNX', contents, content, id) end
redis.call(isOpen == '1' and 'SADD' or 'SREM', open, id)
-- A few at a time, so that it stays cheap; and one comes in with each call at the most.
local over = math.min(10, redis.call('ZCARD', lately) - kept)
for _, old in ipairs(over > 0 and redis.call('ZRANGE', lately, 0, over - 1) or {}) do
  local known = redis.call('HGET', files, old)
  local was = known and cjson.decode(known).content
  if was and redis.call('HGET', contents, was) == old then redis.call('HDEL', contents, was) end
  redis.call('HDEL', files, old)
  redis.call('ZREM', lately, old)
  redis.call('SREM', open, old)
end
return 1
