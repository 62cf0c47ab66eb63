-- Writes what is known of a file from a drop folder, in place of what was known before. Beyond `kept` files the oldest are deleted.
-- @keys files contents lately open
-- The files' outcomes, contents that were imported, all files by time, and files without results.
-- @args id file atMs content isOpen kept
-- file: as JSON; atMs: when it was taken; content: its digest, or "" if it was not imported; isOpen: 1 if its results are still to be
-- written; kept: how many files are kept.
-- Answers 1.
-- A process that was held up may still report "taken" after another one has finished the file.
local before, now = redis.call('HGET', files, id), cjson.decode(file)
if before and now.is == 'taken' and now.content and cjson.decode(before).is ~= 'taken' then return 1 end
redis.call('HSET', files, id, file)
redis.call('ZADD', lately, 'NX', atMs, id)
-- The first import of a content owns it, so that a second one can name the first.
if content ~= '' then redis.call('HSETNX', contents, content, id) end
redis.call(isOpen == '1' and 'SADD' or 'SREM', open, id)
-- At most ten a call, which is cheap; each call adds at most one file.
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
