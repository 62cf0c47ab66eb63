-- Takes an import off those under way. The portfolio is finished now if this was the last thing that it waited for.
-- KEYS[1] the portfolio   KEYS[2] its imports under way   KEYS[3] all its imports
-- ARGV[1] this import: content:its own name   ARGV[2] content that was read to its end, or "" when the import was given up
-- ARGV[3] what was found in the file, as JSON, or ""
-- Answers 1.
-- @include archived
-- @include move
local archived = archivedError(KEYS[1])
if archived then return archived end
redis.call('ZREM', KEYS[2], ARGV[1])
-- Whoever read the file to its end did so for all who import the same.
local unread = {}
for content in string.gmatch(redis.call('HGET', KEYS[1], 'importing') or '', '%S+') do
  if content ~= ARGV[2] then unread[#unread + 1] = content end
end
if #unread == 0 then redis.call('HDEL', KEYS[1], 'importing') else redis.call('HSET', KEYS[1], 'importing', table.concat(unread, ' ')) end
local known = ARGV[3] ~= '' and redis.call('HGET', KEYS[3], ARGV[2])
if known then
  local told = cjson.decode(known)
  told.found = cjson.decode(ARGV[3])
  redis.call('HSET', KEYS[3], ARGV[2], cjson.encode(told))
end
noteFinish(KEYS[1], nowMs())
return 1
