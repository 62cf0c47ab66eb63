-- Included where something out of the ordinary happens to a row: it is told to the row's story, a short list beside its hash.
-- What goes as it should tells nothing, so an ordinary row has no such list. An entry is "<ms> <JSON>", see story.ts; texts of
-- the service's are cut here, what is handed over as JSON is cut by who hands it over.
local STORY_ENTRIES = 50
local STORY_TEXT = 1000

local function shortened(text)
  return string.sub(text, 1, STORY_TEXT)
end

-- A supplier's call has no row, one that a results file tells of may have none yet, and a row that is archived, or on its way, is told
-- nothing.
local function tell(row, now, entry)
  if row == '' or redis.call('EXISTS', row) == 0 then return end
  local portfolio = string.gsub(row, ':row:([^:]+):[^:]*$', ':portfolio:%1')
  if redis.call('HEXISTS', portfolio, 'archive') == 1 then return end
  redis.call('RPUSH', row .. ':story', string.format('%.0f', now) .. ' ' .. entry)
  redis.call('LTRIM', row .. ':story', -STORY_ENTRIES, -1)
end

-- Of a row that was given up with its portfolio the portfolio alone knows by whom, and only of the last time: told to a row that comes back,
-- before it does. `row` as derive.lua has it.
local function tellWhoGaveUp(row)
  local at, by = string.match(redis.call('HGET', row.portfolio.hash, 'cancelledBy') or '', '^(%d+) (.*)$')
  local isGivenUp = row.state == 'cancelled' and not row.replaced and tonumber(row.gen or 0) < row.portfolio.cancels
  if at and isGivenUp then tell(row.hash, at, cjson.encode({ is = 'cancelled', by = by })) end
end

-- The hash of a row by its name, "<portfolio>/<key>", found from the key of any call; "" where it names none.
local function rowNamed(name, call)
  local portfolio, key = string.match(name, '^(.*)/(.*)$')
  return portfolio and string.match(call, '^(.-):call:') .. ':row:' .. portfolio .. ':' .. key or ''
end

-- The row for which a call was claimed last.
local function rowOfCall(call)
  return rowNamed(redis.call('HGET', call, 'row') or '', call)
end

local function kindOfCall(call)
  return string.match(call, ':call:([^:]+):')
end
