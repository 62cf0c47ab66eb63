-- Included where it changes what passed of somebody without another person's yes. `<root>:passed:<person>` has sums by the day on which
-- that was, as derive.lua has sums. Where an approval counts so (`counted`), all that it asks for is added as it is granted by itself;
-- a row that is given up, refused or gets other words is taken off, and says so (`unpassed`); sent again it counts anew, on that day.
local ONE_DAY, KEPT_DAYS = 86400000, 366
local OUT = { refused = true, cancelled = true, skipped = true }

-- Who brings in what an approval is about: each person once, under whatever names (approvals.ts).
local function peopleOf(approval)
  local people, fields = {}, redis.call('HGETALL', approval)
  for at = 1, #fields, 2 do
    local name = string.match(fields[at], '^author:(.*)$')
    if name then people[fields[at + 1] == '1' and name or fields[at + 1]] = true end
  end
  return people
end

local function countPassed(approval, atMs, sign, limbs)
  local day = math.floor(atMs / ONE_DAY)
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

-- What a row asked for with an approval counts no more, or does again.
local function countRow(portfolio, row, id, isOut, asked)
  local approval = string.match(portfolio, '^(.-):portfolio:') .. ':approval:' .. id
  local found = redis.call('HMGET', approval, 'counted', 'answeredAt')
  if not found[1] then return end
  countPassed(approval, isOut and found[2] or redis.call('TIME')[1] * 1000, isOut and -1 or 1, limbsOf(asked) or {})
  if isOut then redis.call('HSET', row, 'unpassed', id) else redis.call('HDEL', row, 'unpassed') end
end
