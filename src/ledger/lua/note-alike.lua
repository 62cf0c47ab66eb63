-- Included where two buyers turn out to be possibly one: limits then count both together, and all others linked to either (passed.lua).
-- Comes behind made-ids.lua.
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
