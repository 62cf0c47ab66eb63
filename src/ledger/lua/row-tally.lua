-- Included where it is computed from a row what it adds to its portfolio's sums (tally.lua).
-- @include tally-changes
-- What the service answered, less what cannot be counted by: a word of more than 100 bytes is cut.
local function grantedOf(text)
  local isRead, record = pcall(cjson.decode, text or '{}')
  if not isRead or type(record) ~= 'table' then return '', '', '' end
  local status = type(record.status) == 'string' and record.status or ''
  -- Never half a character.
  if #status > 100 then status = string.gsub(string.sub(status, 1, 100), '[\192-\255][\128-\191]*$', '') end
  return amountText(record.total_limit), amountText(record.available_limit), status
end

local function requestedOf(row)
  local isRead, request = pcall(cjson.decode, redis.call('HGET', row, 'request') or '{}')
  local limit = isRead and type(request) == 'table' and request.limit
  return amountText(type(limit) == 'table' and limit.requested_limit or '?')
end

-- What a row adds as it is now; `requested` where it is known, else as it was, else from the row's words.
local function tallyOf(row, side, found, requested)
  local state, _, before, replaced, cause = unpack(found, 1, 5)
  local bucket = replaced and state == 'cancelled' and 'replaced' or state
  requested = requested and amountText(requested) or before and string.match(before, '^[ab]|%a+|([^|]*)') or requestedOf(row)
  local short = side .. '|' .. bucket .. '|' .. requested
  if state == 'done' or state == 'skipped' then
    local granted, available, status = grantedOf(found[6])
    if state == 'skipped' then available = '' end
    return table.concat({ short, granted, available, shareOf(granted, requested), '', status }, '|')
  end
  if cause then return table.concat({ short, '', '', '', cause, '' }, '|') end
  return short
end
