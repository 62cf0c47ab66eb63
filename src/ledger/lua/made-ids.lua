-- Included where it matters which call made an id. That is known for good, even without the rows that show the ids. It is kept in 16,384
-- hashes a kind, each small enough for Redis' compact form: id → key of the call.
local function madeIdsOf(call, id)
  local at = string.find(call, ':call:', 1, true)
  local colon = string.find(call, ':', at + 6, true)
  local bucket = tonumber(string.sub(redis.sha1hex(id), 1, 4), 16) % 16384
  return string.sub(call, 1, at) .. 'made:' .. string.sub(call, at + 6, colon) .. bucket, string.sub(call, colon + 1)
end

-- Notes that this call made the id. Answers nil, or the key of another call that made it before: the service may have known the company
-- or document already. Answers "" if lines gave this company's id (noteAlike).
local function takeId(call, id)
  local ids, key = madeIdsOf(call, id)
  local first = redis.call('HSETNX', ids, id, key) == 0 and redis.call('HGET', ids, id) or key
  if first ~= key then return first end
  local at = string.find(call, ':call:company:', 1, true)
  return at and redis.call('EXISTS', string.sub(call, 1, at) .. 'buyer:' .. id .. ':alike') == 1 and '' or nil
end

-- The row for which another call of the same kind, with this key, was last claimed.
local function rowOfOther(call, key)
  return redis.call('HGET', string.match(call, '^(.-:call:%l+:)') .. key, 'row') or ''
end

-- The most bytes of the names of rows that share a limit's id.
local MOST_SHARED = 500

-- Notes that two limit calls were answered with one id. The call that made the limit first, with the key `key`, keeps the name of the other
-- call's row, since the id alone does not tell whose limit is meant.
local function noteShared(call, key, name)
  local first = string.match(call, '^(.-:call:limit:)') .. key
  local names = redis.call('HGET', first, 'shared')
  if names and #names > MOST_SHARED or redis.call('EXISTS', first) == 0 then return end
  redis.call('HSET', first, 'shared', (names and names .. ', ' or '') .. name)
end

-- Links two buyers that may be one company. Sums that need no approval then count both together, with all buyers linked to either
-- (passed.lua).
local function noteAlike(root, one, other)
  redis.call('SADD', root .. ':buyer:' .. one .. ':alike', other)
  redis.call('SADD', root .. ':buyer:' .. other .. ':alike', one)
end

-- Links a buyer with a company's id, which a line or the service gave. The id acts as a buyer without requests that links them all.
local function noteCompany(root, buyer, company)
  noteAlike(root, buyer, company)
  local maker = redis.call('HGET', (madeIdsOf(root .. ':call:company:', company)), company)
  if maker then noteAlike(root, maker, company) end
end

local function noteCompanyOf(requests, request)
  local at = string.find(request, '"companyId":"', 1, true)
  if not at then return end
  local root, buyer = string.match(requests, '^(.*):buyer:(.*):rows$')
  noteCompany(root, buyer, string.match(request, '^"companyId":"([^"]+)"', at))
end
