-- Included where it counts whether another person has approved: `approval` of a row names what it is approved with.
local function approvalKey(portfolio, id)
  return string.match(portfolio, '^(.-):portfolio:') .. ':approval:' .. id
end

-- "open" | "waiting" | "granted" | "declined" | "void"; false where there is none of this name.
local function standingOf(portfolio, id)
  return redis.call('HGET', approvalKey(portfolio, id), 'standing')
end

-- A request belongs to no portfolio: what was said of it stands with the call that makes its limit. `asks` has the approvals that it waits
-- for, one in each portfolio, `declined` the one by which a person said no to it, until another says yes.
local function requestOf(portfolio, key)
  return string.sub(portfolio, 1, string.find(portfolio, ':portfolio:', 1, true)) .. 'call:limit:' .. key
end

-- The approval by which a person said no; nil where nobody did.
local function declinedBy(portfolio, declined, asks)
  if declined then return declined end
  for id in string.gmatch(asks or '', '%S+') do
    if standingOf(portfolio, id) == 'declined' then return id end
  end
end

local function declinedOf(portfolio, request)
  return declinedBy(portfolio, unpack(redis.call('HMGET', request, 'declined', 'asks')))
end

-- Who said no by this approval, and in what words.
local function noOf(portfolio, id)
  local known = redis.call('HMGET', approvalKey(portfolio, id), 'answeredBy', 'words')
  return 'by ' .. (known[1] or 'a person') .. (known[2] and known[2] ~= '' and ': ' .. known[2] or '')
end

-- A supplier is a company, whichever portfolio names it.
local function callOfSupplier(portfolio, key)
  return string.match(portfolio, '^(.-):portfolio:') .. ':call:company:' .. key
end
