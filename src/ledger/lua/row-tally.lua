-- Included where it is computed from a row what it adds to its portfolio's sums, as a tally (tally.lua) says that, and where that is put on
-- and taken off.
-- @include amounts
-- @include answered
local FULL_TALLY = '^([ab])|(%a+)|([^|]*)|([^|]*)|([^|]*)|(%d?)|([^|]*)|(.*)$'

-- Puts what a tally says into `changes` ({ [side] = { [field] = number } }), with the sign + or -.
local function addTally(changes, tally, sign)
  local side, bucket, requested, granted, available, share, cause, status = string.match(tally, FULL_TALLY)
  if not side then side, bucket, requested = string.match(tally, '^([ab])|(%a+)|([^|]*)$') end
  if not side then return '' end
  local change = changes[side] or {}
  changes[side] = change
  local function count(field) change[field] = (change[field] or 0) + sign end
  local function sum(name, text)
    for k, limb in pairs(text and limbsOf(text) or {}) do
      local field = 'sum:' .. name .. ':' .. k
      change[field] = (change[field] or 0) + sign * limb
    end
  end
  count('rows')
  sum(bucket, requested)
  if bucket == 'replaced' then count('replaced') end
  if requested == '?' or granted == '?' or available == '?' then count('unreadable') end
  -- An older version knew one such count alone, whatever the status: it goes with its rows.
  if share == '1' then count('below') end
  if share == '2' or share == '3' then count((share == '3' and 'nothing:' or 'below:') .. status) end
  if bucket == 'done' then
    sum('granted', granted)
    sum('available', available)
    if status and status ~= '' then count('status:' .. status) end
  elseif bucket == 'skipped' then
    sum('before', granted)
    count('earlier:' .. (status or ''))
  end
  if cause and cause ~= '' then
    count('cause:' .. cause)
    sum('cause/' .. cause, requested)
  end
  return cause or ''
end

-- Nothing here may fail, since the row is written already: a field that somebody damaged is left to reconcile.
local function addTo(hash, field, number)
  if number ~= 0 and redis.pcall('HINCRBY', hash, field, number) == 0 then redis.call('HDEL', hash, field) end
end

local function applyChanges(portfolio, changes)
  for side, change in pairs(changes) do
    local hash = portfolio .. ':sums:' .. side
    for field, number in pairs(change) do addTo(hash, field, number) end
  end
end
local function requestedOf(row)
  return askedIn(redis.call('HGET', row, 'request'))
end

-- What a row adds as it is now; `requested` where it is known, else as it was, else from the row's words.
local function tallyOf(row, side, found, requested)
  local state, _, before, replaced, cause = unpack(found, 1, 5)
  local bucket = replaced and state == 'cancelled' and 'replaced' or state
  requested = requested and amountText(requested) or before and string.match(before, '^[ab]|%a+|([^|]*)') or requestedOf(row)
  local short = side .. '|' .. bucket .. '|' .. requested
  if state == 'done' or state == 'skipped' then
    local granted, available, status = grantedIn(found[6])
    if state == 'skipped' then available = '' end
    return table.concat({ short, granted, available, shareOf(granted, requested), '', status }, '|')
  end
  if cause then return table.concat({ short, '', '', '', cause, '' }, '|') end
  return short
end
