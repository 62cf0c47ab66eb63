-- Writes down what is known of a file that was taken from a drop folder, all of it anew. Beyond the newest so many, the oldest are forgotten.
-- KEYS[1] what became of files   KEYS[2] contents that were imported   KEYS[3] all of them by time   KEYS[4] those without results
-- ARGV[1] id   ARGV[2] the file, as JSON   ARGV[3] when it was taken, in ms   ARGV[4] digest of its content, or "" where it was not
-- imported   ARGV[5] 1 where its results are still to be written   ARGV[6] how many are kept
-- Answers 1.
local files, contents, lately, open = unpack(KEYS)
local id, file, atMs, content, isOpen, kept = unpack(ARGV)
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
