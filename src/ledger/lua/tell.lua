-- Included where something unusual happens to a row: it is added to the row's history, a short list beside its hash. An ordinary row has no
-- such list. An entry is "<ms> <JSON>" (story.ts). This file cuts the texts of the service; callers cut texts in JSON.
local STORY_ENTRIES = 50
local STORY_TEXT = 1000

local function shortened(text)
  return string.sub(text, 1, STORY_TEXT)
end

-- Adds an entry to the history of a row that exists, in a portfolio that is not archived.
local function tellKnown(row, now, entry)
  local length = redis.call('RPUSH', row .. ':story', string.format('%.0f', now) .. ' ' .. entry)
  if length > STORY_ENTRIES then redis.call('LTRIM', row .. ':story', -STORY_ENTRIES, -1) end
end

-- Adds an entry, if the row exists: a supplier's call has no row, and a call from a results file may have none yet. Rows of a portfolio
-- that is archived, or on the way there, get no entries. Nor has a hosted session any: its own records are shown beside the row.
local function tell(row, now, entry)
  if string.find(entry, '"kind":"session"', 1, true) then return end
  if row == '' or redis.call('EXISTS', row) == 0 then return end
  local portfolio = string.gsub(row, ':row:([^:]+):[^:]*$', ':portfolio:%1')
  if redis.call('HEXISTS', portfolio, 'archive') == 0 then tellKnown(row, now, entry) end
end

-- Writes into the history of a row who gave up its portfolio, before the row is sent again: the portfolio remembers only who did so last,
-- and the row nothing. `row` is as in derive.lua.
local function tellWhoGaveUp(row)
  local at, by = string.match(redis.call('HGET', row.portfolio.hash, 'cancelledBy') or '', '^(%d+) (.*)$')
  local isGivenUp = row.state == 'cancelled' and not row.replaced and tonumber(row.gen or 0) < row.portfolio.cancels
  if at and isGivenUp then tell(row.hash, at, cjson.encode({ is = 'cancelled', by = by })) end
end

-- The key of a row's hash from "<portfolio>/<key>" and the key of any call; "" if `name` is no such name.
local function rowNamed(name, call)
  local portfolio, key = string.match(name, '^(.*)/(.*)$')
  return portfolio and string.match(call, '^(.-):call:') .. ':row:' .. portfolio .. ':' .. key or ''
end

-- The row for which a call was last claimed.
local function rowOfCall(call)
  return rowNamed(redis.call('HGET', call, 'row') or '', call)
end

local function kindOfCall(call)
  return string.match(call, ':call:([^:]+):')
end
