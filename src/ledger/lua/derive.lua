-- Included where rows change: derives sets and sums from a row's fields. Comes behind schema.lua and portfolio-of.lua.
-- A row is a table of its fields as Redis has them, false for none, with its `portfolio`, `key` and `hash`.
-- The field `tally` keeps what the row adds to its portfolio's sums. A change takes the old tally off and adds the new one, so the sums
-- always match the rows; a row of an older ledger enters them at its first change. `tally` is "<side>|<bucket>|<asked>", with
-- "|<granted>|<available>|<short>|<cause>|<status>" behind it if there is an outcome. A bucket is a state, or "replaced"; `short` is what
-- shareOf (amounts.lua) answers. Older versions wrote it as "" to "3", and did not add up such rows by answer. Amounts are decimal text, ""
-- for none, "?" for an unreadable one: that is counted, and in no sum.
-- A portfolio's sums are two hashes, of side "a" and "b". The nightly check moves the rows from one to the other; what is left then was
-- wrong. The field `sum:<name>:<k>` holds units of 10^(10k - 2). It may exceed ten digits, and is carried when it is read (sums.ts). No
-- field is kept at zero.
-- @include amounts
-- @include columns

-- Cuts a status of more than 100 bytes, never within a character.
local function shortStatus(status)
  if type(status) ~= 'string' then return '' end
  return #status > 100 and string.gsub(string.sub(status, 1, 100), '[\192-\255][\128-\191]*$', '') or status
end

-- Total limit, available limit and status of a row's record, in the form in which sums and counts take them.
local function grantedIn(text)
  local isRead, record = pcall(cjson.decode, text or '{}')
  if not isRead or type(record) ~= 'table' then return '', '', '' end
  return amountText(record.total_limit), amountText(record.available_limit), shortStatus(record.status)
end

local function askedIn(text)
  local isRead, request = pcall(cjson.decode, text or '{}')
  local limit = isRead and type(request) == 'table' and request.limit
  return amountText(type(limit) == 'table' and limit.requested_limit or '?')
end

local function rowIn(portfolio, key, row)
  row.portfolio, row.key, row.hash, row.__index = portfolio, key, portfolio.rows .. key, row
  return row
end

local function rowOf(portfolio, key)
  local row = rowIn(portfolio, key, readRow(portfolio.rows .. key))
  return row.state and row or nil
end

-- The value of a field of a row. It is read from Redis if readRow did not read it.
local function laterOf(row, name)
  return row[name] or redis.call('HGET', row.hash, name)
end

-- Reads a tally: the row's share of the sums. Parts that the tally lacks are nil.
local function shareIn(tally)
  if not tally then return {} end
  local side, bucket, asked, rest = string.match(tally, '^([ab])|(%a+)|([^|]*)(.*)$')
  local share = { tally = tally, side = side, bucket = bucket, asked = asked }
  if rest and rest ~= '' then
    share.granted, share.available, share.short, share.failedBy, share.status = string.match(rest, '^|([^|]*)|([^|]*)|(%d?)|([^|]*)|(.*)$')
    if share.failedBy == '' then share.failedBy = nil end
  end
  return share
end

-- Computes the row's new share of the sums. `was`: its share before. `given`: the service's response, if known without the row's record.
local function nextShare(row, was, given)
  local state, side, asked = row.state, was.side or row.portfolio.side, was.asked or askedIn(laterOf(row, 'request'))
  local bucket = state == 'cancelled' and row.replaced and 'replaced' or state
  local share = { tally = side .. '|' .. bucket .. '|' .. asked, side = side, bucket = bucket, asked = asked }
  if isGrantedState(state) then
    local granted, available, status
    if given then
      granted, available, status = amountText(given.granted), amountText(given.available), shortStatus(given.status)
    else
      granted, available, status = grantedIn(row.record)
    end
    if state == 'skipped' then available = '' end
    share.granted, share.available, share.short, share.status = granted, available, shareOf(granted, asked), status
    share.tally = share.tally .. '|' .. granted .. '|' .. available .. '|' .. share.short .. '||' .. status
  elseif row.cause then
    share.failedBy = row.cause
    share.tally = share.tally .. '||||' .. row.cause .. '|'
  end
  return share
end

local SUMS = {}
local function sum(sums, name, text, sign)
  local fields = SUMS[name]
  if not fields then
    fields = {}
    SUMS[name] = fields
  end
  for k, limb in next, limbsOf(text) or {} do
    local field = fields[k] or 'sum:' .. name .. ':' .. k
    fields[k] = field
    add(sums, field, sign * limb)
  end
end

local function statusColumns(portfolio, status)
  local columns = portfolio.columns[status] or columnsOfStatus(portfolio.hash, status)
  portfolio.columns[status] = columns
  return columns
end

-- The ids of a row, as a set: moveIds then digests only those that came or went.
local function idsOf(row)
  local ids = {}
  for id in string.gmatch((row.company or '') .. '|' .. (row.documents or '') .. '|' .. (row.limit or ''), '[^|]+') do ids[id] = true end
  return ids
end

local function moveIds(row, now)
  local level, had, has = searchLevel(row.portfolio), idsOf(row), idsOf(now)
  for id in next, had do
    if not has[id] then removeId(row.portfolio.hash, digestOfId(id), row.key, level) end
  end
  for id in next, has do
    if not had[id] then addId(row.portfolio.hash, digestOfId(id), row.key, level) end
  end
end

-- Each putIn… adds a row to its sets or sums (sign 1), or removes it (-1). A new row was in none: without a state nothing is done.
local function putInState(row, sign)
  local portfolio, state = row.portfolio, row.state
  if not state then return end
  stand(portfolio, portfolio.hash .. ':state:' .. state, sign == 1 and row.line, row.key)
  if state == 'held' then stand(portfolio, ROOT .. ':held', sign == 1 and laterOf(row, 'updated'), portfolio.name .. '/' .. row.key) end
end

local function putInCause(row, share, sign)
  if not share.failedBy then return end
  stand(row.portfolio, row.portfolio.hash .. ':cause:' .. share.failedBy, sign == 1 and row.line, row.key)
  row.portfolio.left[share.failedBy] = true
end

local function putInColumn(row, share, sign)
  if not row.state then return end
  local portfolio, asked, columns = row.portfolio, share.asked or '', statusColumns(row.portfolio, share.status or '')
  local amount = #asked <= 60 and string.match(asked, '^%d+%.?%d*$') or '-1'
  local size = sizeOf(amount)
  local name = columnKey(portfolio.hash, size, math.floor((tonumber(row.line) or 0) / LINES_OF_COLUMN), columns)
  portfolio.kinds[name] = portfolio.kinds[name] or size .. ' ' .. columns
  stand(portfolio, name, sign == 1 and amount, row.key)
end

local function putInSums(row, share, sign)
  if not share.side then return end
  local sums, bucket, asked, status = row.portfolio.hash .. ':sums:' .. share.side, share.bucket, share.asked, share.status or ''
  sum(sums, bucket, asked, sign)
  if bucket == 'replaced' then add(sums, 'replaced', sign) end
  if asked == '?' or share.granted == '?' or share.available == '?' then add(sums, 'unreadable', sign) end
  local short = share.short or ''
  -- An older version counted rows that were granted less than requested in one field for all statuses; it goes away with its rows.
  if short == '1' then
    add(sums, 'below', sign)
  elseif short == '2' or short == '5' then
    add(sums, 'below:' .. status, sign)
  elseif short == '3' or short == '6' then
    add(sums, 'nothing:' .. status, sign)
  end
  if bucket == 'done' and short > '3' then
    local answer = short .. status
    add(sums, 'answer:' .. answer, sign)
    sum(sums, 'asked/' .. answer, asked, sign)
    sum(sums, 'given/' .. answer, share.granted, sign)
    sum(sums, 'free/' .. answer, share.available, sign)
    if share.available == '' or share.available == '?' then add(sums, 'unsaid:' .. answer, sign) end
  elseif bucket == 'done' then
    sum(sums, 'granted', share.granted, sign)
    sum(sums, 'available', share.available, sign)
  end
  if bucket == 'done' then
    if status ~= '' then add(sums, 'status:' .. status, sign) end
  elseif bucket == 'skipped' then
    if short > '3' then add(sums, 'skipped', sign) end
    sum(sums, short > '3' and 'before/' .. short .. status or 'before', share.granted, sign)
    add(sums, 'earlier:' .. status, sign)
  end
  if share.failedBy then
    add(sums, 'cause:' .. share.failedBy, sign)
    sum(sums, 'cause/' .. share.failedBy, asked, sign)
  end
end

local function putInChanged(row)
  if row.state then stand(row.portfolio, row.portfolio.hash .. ':changed', laterOf(row, 'updated'), row.key) end
end

-- Moves a row from its old sets and sums to the new ones. Only those that depend on a changed field are visited.
local function movePlaces(row, now, was, is)
  local isLine = row.line ~= now.line
  if isLine or row.state ~= now.state then
    putInState(row, -1)
    putInState(now, 1)
  end
  if isLine or was.failedBy ~= is.failedBy then
    putInCause(row, was, -1)
    putInCause(now, is, 1)
  end
  if was.side ~= is.side then
    if was.side then add(row.portfolio.hash .. ':sums:' .. was.side, 'rows', -1) end
    add(row.portfolio.hash .. ':sums:' .. is.side, 'rows', 1)
  end
  if was.tally ~= is.tally then
    putInSums(row, was, -1)
    putInSums(now, is, 1)
  end
  if not searchLevel(row.portfolio) then return end
  if rawget(now, 'updated') then putInChanged(now) end
  if isLine or was.asked ~= is.asked or was.status ~= is.status then
    putInColumn(row, was, -1)
    putInColumn(now, is, 1)
  end
  local isSame = (row.company or false) == (now.company or false) and (row.documents or false) == (now.documents or false)
  if not isSame or row.limit ~= now.limit then moveIds(row, now) end
end
