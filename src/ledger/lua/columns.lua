-- Included where rows are put into columns, or searched there (index-entries.lua).
local LINES_OF_COLUMN = 1024
local MOST_STATUSES = 16

-- The status that names the columns of a status: itself if it has columns of its own, which it keeps, else "*".
local function columnsOfStatus(portfolio, status)
  if status == '' then return '' end
  local statuses = portfolio .. ':statuses'
  if redis.call('SISMEMBER', statuses, status) == 1 then return status end
  -- Statuses are never removed, so a status has the same columns at any time.
  if #status > 40 or redis.call('SCARD', statuses) >= MOST_STATUSES then status = '*' end
  redis.call('SADD', statuses, status)
  return status
end

-- The size of an amount: "0" for amounts below 1, "11" … "19" for those below 10, "21" … "29" for those below 100, and "-1" for unreadable
-- ones.
local function sizeOf(amount)
  if amount == '-1' then return amount end
  local whole = string.match(amount, '^0*(%d*)')
  return whole == '' and '0' or string.format('%d', #whole) .. string.sub(whole, 1, 1)
end

local function columnKey(portfolio, size, column, status)
  return string.format('%s:column:%s:%d:', portfolio, size, column) .. status
end
