-- Included where it counts what a row's texts say of amounts. Comes behind amounts.lua.
-- A word of more than 100 bytes is cut, and never half a character.
local function shortStatus(status)
  if type(status) ~= 'string' then return '' end
  return #status > 100 and string.gsub(string.sub(status, 1, 100), '[\192-\255][\128-\191]*$', '') or status
end

-- What the service answered, less what cannot be counted by.
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
