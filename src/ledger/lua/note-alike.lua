-- Included where it becomes known that two buyers may be one: limits count them together (passed.lua), and all that is beside either.
-- Comes behind made-ids.lua.
local function noteAlike(root, one, other)
  redis.call('SADD', root .. ':buyer:' .. one .. ':alike', other)
  redis.call('SADD', root .. ':buyer:' .. other .. ':alike', one)
end

-- A buyer's line gives this company, or it is what the service answers: its id stands between all of them, as a buyer without requests.
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
