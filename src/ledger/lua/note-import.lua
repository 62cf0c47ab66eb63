-- Notes that an import is under way ("beat") or has ended ("end"), or removes killed imports, whose heartbeats stopped ("sweep").
-- The portfolio is finished now if it waited for nothing but an import.
-- @keys portfolio underWay imports
-- portfolio: the portfolio's hash; underWay: its imports that have not ended; imports: all its imports
-- @args what import read found goneAfterMs missedMs began seen
-- import: "<content>:<own name>"; for an end, read: the content that was read to its end, or "" if the import was given up, and found: the
-- counts of the file, as JSON, or ""; for a sweep, goneAfterMs: ms without a heartbeat after which an import is gone,
-- and missedMs: ms without one after which it was dead when another import began; for a heartbeat, began: when the
-- import began, and seen: the time of the heartbeat before it.
-- Answers to a heartbeat its time, or "" if Redis lacks the one before it; to an end 1; to a sweep when the portfolio was finished, in ms,
-- or "" if it is not.
-- @include move
-- @include archived
-- @include cancelled
local now = nowMs()
if isArchived(portfolio) then
  if what ~= 'sweep' then return archivedError(portfolio) end
  return redis.call('HGET', portfolio, 'finished') or ''
end

-- Removes from the field `importing`, which lists the contents of files that are not read to their ends, all those that `isUnread` rejects.
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

-- Adds the currencies that files name to those of the portfolio, and "" for files that name none. All files that were read to their ends
-- are looked at, since older versions noted nothing for a file without a currency.
local function noteCurrencies()
  local known, has = cjson.decode(redis.call('HGET', portfolio, 'currencies') or '[]'), {}
  for _, currency in ipairs(known) do has[currency] = true end
  for _, one in ipairs(redis.call('HVALS', imports)) do
    local file = cjson.decode(one).found
    local currency = file and (file.currency or '')
    if currency and not has[currency] then
      has[currency] = true
      known[#known + 1] = currency
    end
  end
  redis.call('HSET', portfolio, 'currencies', cjson.encode(known))
end

if what == 'beat' then
  local content = string.match(import, '^(.*):')
  local known = redis.call('HGET', imports, content)
  if not known then return '' end
  redis.call('ZADD', underWay, now, import)
  redis.call('HDEL', portfolio, 'finished')
  local told = cjson.decode(known)
  -- Without heartbeats: another import of this file has ended, and its end deleted them.
  local heard = told.heardMs or (told.found and math.huge or told.lastMs)
  local isOlder = told.lastMs < tonumber(began) or heard < tonumber(seen)
  told.heardMs = now
  redis.call('HSET', imports, content, cjson.encode(told))
  return isOlder and '' or string.format('%.0f', now)
end
if what == 'end' then
  redis.call('ZREM', underWay, import)
  -- If one import reads a file to its end, the file counts as read for all imports of the same content.
  keepUnread(function(content) return content ~= read end)
  local known = found ~= '' and redis.call('HGET', imports, read)
  if known then
    local told = cjson.decode(known)
    told.found = cjson.decode(found)
    told.heardMs = nil
    redis.call('HSET', imports, read, cjson.encode(told))
    noteCurrencies()
  end
  noteFinish(portfolio, now)
  return 1
end
-- The last file that was begun takes the place of a file whose import was dead then, though that did not count as gone yet (start-import.lua).
local last = redis.call('HGET', portfolio, 'content')
local begun = last and redis.call('HGET', imports, last)
if begun then
  local beganMs, signs, seen = cjson.decode(begun).lastMs, redis.call('ZRANGE', underWay, 0, -1, 'WITHSCORES'), {}
  for at = 1, #signs, 2 do
    local of = string.match(signs[at], '^(.*):')
    if of then seen[of] = math.max(seen[of] or 0, tonumber(signs[at + 1])) end
  end
  keepUnread(function(content) return content == last or not seen[content] or seen[content] > beganMs - missedMs end)
end
redis.call('ZREMRANGEBYSCORE', underWay, '-inf', now - goneAfterMs)
-- Heartbeats in the future are from before the clock was set back; they are removed, too.
redis.call('ZREMRANGEBYSCORE', underWay, now + goneAfterMs, '+inf')
-- Files of killed imports stay unread, unless the portfolio was cancelled since: then nobody needs the rest of them.
if isGivenUp(portfolio) then
  local living = table.concat(redis.call('ZRANGE', underWay, 0, -1), ' ')
  keepUnread(function(content) return string.find(living, content .. ':', 1, true) end)
end
noteFinish(portfolio, now)
return redis.call('HGET', portfolio, 'finished') or ''
