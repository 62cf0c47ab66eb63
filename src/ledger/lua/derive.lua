-- Included where rows change: what follows from a row's fields. Comes behind schema.lua and portfolio-of.lua.
-- A row is a table of its fields, as Redis has them, false for none. Beside them it has `portfolio`, `key` and `hash`, and what its tally
-- says: `side`, `bucket`, `asked`, `granted`, `available`, `share`, `failedBy` and `status` (tally.lua).
-- @include amounts
-- @include answered
-- @include columns
local function readTally(row)
  local side, bucket, asked, rest = string.match(row.tally or '', '^([ab])|(%a+)|([^|]*)(.*)$')
  row.side, row.bucket, row.asked = side or false, bucket or '', asked or false
  row.granted, row.available, row.share, row.failedBy, row.status = '', '', '', '', ''
  if rest and rest ~= '' then
    row.granted, row.available, row.share, row.failedBy, row.status = string.match(rest, '^|([^|]*)|([^|]*)|(%d?)|([^|]*)|(.*)$')
  end
end

-- A field that is not read with all others is looked up when it is asked for.
local LATER = { __index = function(row, name)
  if not ROW[name] then error('a row has no field ' .. tostring(name)) end
  local value = redis.call('HGET', row.hash, name)
  row[name] = value
  return value
end }

local function rowOf(portfolio, key)
  local hash = portfolio.rows .. key
  local row = readRow(hash)
  if not row.state then return nil end
  row.portfolio, row.key, row.hash = portfolio, key, hash
  readTally(row)
  return setmetatable(row, LATER)
end

-- What a row's fields say of its sums, written into `now`, which is the row as it is from now on; `row` is as it was. `given` is what the
-- service granted, where that is known without its record.
local function deriveFields(row, now, given)
  local state = now.state
  if row.cause and not FAILED[state] then now.cause = false end
  now.side, now.asked = row.side or row.portfolio.side, row.asked or askedIn(row.request)
  now.bucket = state == 'cancelled' and now.replaced and 'replaced' or state
  local short = now.side .. '|' .. now.bucket .. '|' .. now.asked
  if GRANTED[state] then
    if given then
      now.granted, now.available, now.status = amountText(given.granted), amountText(given.available), shortStatus(given.status)
    else
      now.granted, now.available, now.status = grantedIn(now.record)
    end
    if state == 'skipped' then now.available = '' end
    now.share, now.failedBy = shareOf(now.granted, now.asked), ''
    now.tally = table.concat({ short, now.granted, now.available, now.share, '', now.status }, '|')
  else
    now.granted, now.available, now.share, now.status, now.failedBy = '', '', '', '', now.cause or ''
    now.tally = now.failedBy == '' and short or table.concat({ short, '', '', '', now.failedBy, '' }, '|')
  end
  now.awaits = state == 'awaiting' and now.approval and now.approval .. '|' .. now.asked or false
end

local SUMS = {}
local function sumField(name, k)
  local fields = SUMS[name]
  if not fields then
    fields = {}
    SUMS[name] = fields
  end
  local field = fields[k] or 'sum:' .. name .. ':' .. k
  fields[k] = field
  return field
end

local function sum(sums, name, text, sign)
  for k, limb in pairs(text and limbsOf(text) or {}) do add(sums, sumField(name, k), sign * limb) end
end

-- Every place at which a row stands besides its own key, by what it hangs on. A place is put on with sign 1 and taken off with -1.
local PLACES = {}

function PLACES.state(row, sign)
  stand(row.portfolio, row.portfolio.hash .. ':state:' .. row.state, sign == 1 and row.line, row.key)
end

function PLACES.held(row, sign)
  if row.state ~= 'held' then return end
  stand(row.portfolio, ROOT .. ':held', sign == 1 and row.updated, row.portfolio.name .. '/' .. row.key)
end

function PLACES.cause(row, sign)
  if row.failedBy == '' then return end
  stand(row.portfolio, row.portfolio.hash .. ':cause:' .. row.failedBy, sign == 1 and row.line, row.key)
  row.portfolio.left[row.failedBy] = true
end

function PLACES.sums(row, sign)
  if not row.side then return end
  local sums, bucket = row.portfolio.hash .. ':sums:' .. row.side, row.bucket
  add(sums, 'rows', sign)
  sum(sums, bucket, row.asked, sign)
  if bucket == 'replaced' then add(sums, 'replaced', sign) end
  if row.asked == '?' or row.granted == '?' or row.available == '?' then add(sums, 'unreadable', sign) end
  -- An older version knew one such count alone, whatever the status: it goes with its rows.
  if row.share == '1' then
    add(sums, 'below', sign)
  elseif row.share ~= '' then
    add(sums, (row.share == '3' and 'nothing:' or 'below:') .. row.status, sign)
  end
  if bucket == 'done' then
    sum(sums, 'granted', row.granted, sign)
    sum(sums, 'available', row.available, sign)
    if row.status ~= '' then add(sums, 'status:' .. row.status, sign) end
  elseif bucket == 'skipped' then
    sum(sums, 'before', row.granted, sign)
    add(sums, 'earlier:' .. row.status, sign)
  end
  if row.failedBy ~= '' then
    add(sums, 'cause:' .. row.failedBy, sign)
    sum(sums, 'cause/' .. row.failedBy, row.asked, sign)
  end
end

local function statusColumns(portfolio, status)
  local columns = portfolio.columns[status] or columnsOfStatus(portfolio.hash, status)
  portfolio.columns[status] = columns
  return columns
end

function PLACES.column(row, sign)
  local portfolio = row.portfolio
  if not searchLevel(portfolio) then return end
  local asked, columns = row.asked or '', statusColumns(portfolio, row.status)
  local amount = #asked <= 60 and string.match(asked, '^%d+%.?%d*$') or '-1'
  local size = sizeOf(amount)
  local name = columnKey(portfolio.hash, size, math.floor((tonumber(row.line) or 0) / LINES_OF_COLUMN), columns)
  portfolio.kinds[name] = size .. ' ' .. columns
  stand(portfolio, name, sign == 1 and amount, row.key)
end

-- Ids are digested where they came or went, and not where they stayed.
local ids = {}
local function eachId(text, sign)
  for id in string.gmatch(text or '', '[^|]+') do ids[id] = (ids[id] or 0) + sign end
end

function PLACES.ids(row, sign)
  eachId(row.company, sign)
  eachId(row.documents, sign)
  eachId(row.limit, sign)
end

local function standUnderIds(portfolio, key)
  local level = searchLevel(portfolio)
  for id, sign in pairs(ids) do
    ids[id] = nil
    if level and sign ~= 0 then
      local digest = digestOfId(id)
      local member = packed(digest) .. key
      if sign > 0 then stand(portfolio, bucketOf(portfolio.hash, digest, level), '0', member) end
      for each = 0, sign < 0 and level or -1 do stand(portfolio, bucketOf(portfolio.hash, digest, each), false, member) end
    end
  end
end

-- The places that hang on a field: no others are looked at.
local HANGS = {
  state = { 'state', 'held' }, line = { 'state', 'cause', 'column' }, failedBy = { 'cause' }, tally = { 'sums' },
  asked = { 'column' }, status = { 'column' }, company = { 'ids' }, documents = { 'ids' }, limit = { 'ids' },
}
