-- Included where rows stand in columns, or are looked up there (index-entries.lua).
local LINES_OF_COLUMN = 1024
local MOST_STATUSES = 16

-- The amount by which a row stands in its column, from its tally. What cannot be read is below all amounts; what is longer would
-- be no number that Redis takes.
local function amountOf(tally)
  local requested = string.match(tally, '^[ab]|%a+|([^|]*)') or ''
  return #requested <= 60 and string.match(requested, '^%d+%.?%d*$') or '-1'
end

-- Which columns a status has: once it has its own, it keeps them.
local function columnsOfStatus(portfolio, status)
  if status == '' then return '' end
  local statuses = portfolio .. ':statuses'
  if redis.call('SISMEMBER', statuses, status) == 1 then return status end
  -- What stands in it once stays, so a status has the same columns whenever it is asked for.
  if #status > 40 or redis.call('SCARD', statuses) >= MOST_STATUSES then status = '*' end
  redis.call('SADD', statuses, status)
  return status
end

-- "0" for amounts below 1, "11" … "19" for those below 10, "21" … "29" for those below 100, and "-1" for what cannot be read.
local function sizeOf(amount)
  if amount == '-1' then return amount end
  local whole = string.match(amount, '^0*(%d*)')
  return whole == '' and '0' or string.format('%d', #whole) .. string.sub(whole, 1, 1)
end

local function columnKey(portfolio, size, column, status)
  return string.format('%s:column:%s:%d:', portfolio, size, column) .. status
end

-- The column of a place (`line`, `amount`, `status`), and of which size and status that is.
local function columnOf(portfolio, place)
  local size, status = sizeOf(place.amount), columnsOfStatus(portfolio, place.status)
  return columnKey(portfolio, size, math.floor(place.line / LINES_OF_COLUMN), status), size .. ' ' .. status
end
