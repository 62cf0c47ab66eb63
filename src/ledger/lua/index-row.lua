-- Included by the scripts that bring a row in, or write into it what it is searched by, where more than entries come in that were
-- not there: words, ids, amounts and lines change, and the indexes (index-entries.lua) have the row under others.
-- @include index-entries
-- @include columns
-- What a row's place in the indexes goes by, less its words.
local function placeOf(row)
  local found = redis.call('HMGET', row, 'line', 'tally', 'company', 'documents', 'limit')
  local place = { line = tonumber(found[1] or 0) or 0, ids = {} }
  local tally = found[2] or ''
  local status = string.match(tally, '^[ab]|%a+|[^|]*|[^|]*|[^|]*|%d?|[^|]*|(.*)$') or ''
  place.amount = amountOf(tally)
  place.status = status
  for _, id in ipairs({ found[3] or '', found[5] or '' }) do
    if id ~= '' then place.ids[digestOfId(id)] = true end
  end
  for id in string.gmatch(found[4] or '', '[^|]+') do place.ids[digestOfId(id)] = true end
  return place
end

-- Puts the digests of words to those of a place, and answers the name.
local function takeWords(place, words)
  local digests, name = string.match(words, '^([%x ]*)\n(.*)$')
  for digest in string.gmatch(digests or '', '%x+') do place.ids[digest] = true end
  return name or ''
end

-- From what the indexes have of a row, nil for nothing, to what they are to have.
local function moveInIndexes(portfolio, key, was, now)
  local level
  for digest in pairs(was and was.ids or {}) do
    if not now.ids[digest] then
      level = level or levelOf(portfolio) or 0
      removeId(portfolio, digest, key, level)
    end
  end
  for digest in pairs(now.ids) do
    if not (was and was.ids[digest]) then
      level = level or levelOf(portfolio) or 0
      addId(portfolio, digest, key, level)
    end
  end
  local isSame = was and was.line == now.line and was.status == now.status and was.amount == now.amount
  if isSame then return end
  local column, kind = columnOf(portfolio, now)
  local before = was and columnOf(portfolio, was)
  if before and before ~= column then redis.call('ZREM', before, key) end
  putInColumn(portfolio, key, column, kind, now.amount)
end

-- A row that came in, or came again: `was` is its place before, nil where it had none, with the words that it had then.
local function indexRow(portfolio, row, key, was, wordsBefore, words)
  if words == '' then return end
  local now = placeOf(row)
  takeWords(now, words)
  if was then
    takeWords(was, wordsBefore)
    if wordsBefore ~= words then redis.call('ZREM', namesOf(portfolio), nameEntry(wordsBefore, key)) end
  end
  redis.call('ZADD', namesOf(portfolio), 0, nameEntry(words, key))
  moveInIndexes(portfolio, key, was, now)
end

-- Where the indexes have a row, if they do: under the words that it has until now.
local function placeInIndexes(portfolio, row, key, words)
  if words == '' or not redis.call('ZSCORE', namesOf(portfolio), nameEntry(words, key)) then return nil end
  return placeOf(row)
end
