-- Included where it changes what passed of somebody without another person's yes. `<root>:passed:<person>` has sums by the day on which
-- that was, as tally.lua has sums. Where an approval counts so (`counted`), all that it asks for is added as it is granted by itself;
-- a row that is given up, refused or gets other words is taken off, and says so (`unpassed`); sent again it counts anew, on that day.
local ONE_DAY, KEPT_DAYS = 86400000, 366

-- Who brings in what an approval is about: each person once, under whatever names (approvals.ts).
local function peopleOf(approval)
  local people, fields = {}, redis.call('HGETALL', approval)
  for at = 1, #fields, 2 do
    local name = string.match(fields[at], '^author:(.*)$')
    if name then people[fields[at + 1] == '1' and name or fields[at + 1]] = true end
  end
  return people
end

local function countPassed(approval, day, sign, limbs)
  for person in pairs(peopleOf(approval)) do
    local passed = string.match(approval, '^(.*):approval:') .. ':passed:' .. person
    for k, limb in pairs(limbs) do
      if limb ~= 0 then redis.call('HINCRBY', passed, day .. ':' .. k, string.format('%.0f', sign * limb)) end
    end
    for _, field in ipairs(sign > 0 and redis.call('HKEYS', passed) or {}) do
      if tonumber(string.match(field, '^%d+')) < day - KEPT_DAYS then redis.call('HDEL', passed, field) end
    end
  end
end

-- A row's words, or its state, count no more with its approval, or do again.
local function countRow(approval, row, isOut, limbs)
  local found = redis.call('HMGET', approval, 'counted', 'answeredAt')
  if not found[1] then return end
  local at = isOut and found[2] or redis.call('TIME')[1] * 1000
  countPassed(approval, math.floor(at / ONE_DAY), isOut and -1 or 1, limbs or {})
  if isOut then redis.call('HSET', row, 'unpassed', string.match(approval, '[^:]*$')) else redis.call('HDEL', row, 'unpassed') end
end

-- A row gets other words: those that it had count no more. Comes behind tally.lua and approvals.lua.
local function countNoMore(portfolio, row)
  local found = redis.call('HMGET', row, 'approval', 'unpassed', 'tally')
  if not found[1] or found[2] == found[1] then return end
  countRow(approvalKey(portfolio, found[1]), row, true, limbsOf(string.match(found[3] or '', '^[ab]|%a+|([^|]*)') or ''))
end
