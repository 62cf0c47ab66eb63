-- Notes that an import is under way ("beat"), that it has ended ("end"), or takes those off that gave no sign of life for too long ("sweep"):
-- killed ones, for which nothing waits any more. The portfolio is finished now if an import was the last thing that it waited for.
-- @keys portfolio underWay imports
-- Its imports under way, and all that there were.
-- @args what import read found goneAfterMs
-- import: this one, content:its own name; of an end, read: the content that was read to its end, or "" when the import was given up, and
-- found: what was in the file, as JSON, or ""; of a sweep, goneAfterMs: ms without a sign after which an import is gone.
-- Answers 1; of a sweep when the portfolio was finished, in ms, or "" when it is not.
-- @include move
-- @include archived
-- @include cancelled
local now = nowMs()
if isArchived(portfolio) then
  if what ~= 'sweep' then return archivedError(portfolio) end
  return redis.call('HGET', portfolio, 'finished') or ''
end

-- Changes which files are still to be read to their ends: `importing` lists their contents.
local function keepUnread(isUnread)
  local unread = {}
  for content in string.gmatch(redis.call('HGET', portfolio, 'importing') or '', '%S+') do
    if isUnread(content) then unread[#unread + 1] = content end
  end
  if #unread == 0 then
    redis.call('HDEL', portfolio, 'importing')
  else
    redis.call('HSET', portfolio, 'importing', table.concat(unread, ' '))
  end
end

if what == 'beat' then
  redis.call('ZADD', underWay, now, import)
  redis.call('HDEL', portfolio, 'finished')
  return 1
end
if what == 'end' then
  redis.call('ZREM', underWay, import)
  -- Whoever read the file to its end did so for all who import the same.
  keepUnread(function(content) return content ~= read end)
  local known = found ~= '' and redis.call('HGET', imports, read)
  if known then
    local told = cjson.decode(known)
    told.found = cjson.decode(found)
    redis.call('HSET', imports, read, cjson.encode(told))
  end
  noteFinish(portfolio, now)
  return 1
end
redis.call('ZREMRANGEBYSCORE', underWay, '-inf', now - goneAfterMs)
-- A sign from the future is one from before the clock went back.
redis.call('ZREMRANGEBYSCORE', underWay, now + goneAfterMs, '+inf')
-- That their files were not read to the end stays known, unless the portfolio was cancelled since: then nobody wants the rest of them.
if isGivenUp(portfolio) then
  local living = table.concat(redis.call('ZRANGE', underWay, 0, -1), ' ')
  keepUnread(function(content) return string.find(living, content .. ':', 1, true) end)
end
noteFinish(portfolio, now)
return redis.call('HGET', portfolio, 'finished') or ''
