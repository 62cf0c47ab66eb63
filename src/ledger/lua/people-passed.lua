-- Included where a person's sum without approval changes. `<root>:passed:<person>` has sums by day, in fields as in derive.lua.
-- When an approval is granted automatically, its whole sum is added (`counted`). A row that is given up, refused or gets another request
-- is taken off, and marked `unpassed`; sent again it is added on the new day.
local ONE_DAY, KEPT_DAYS = 86400000, 366
local OUT = { refused = true, cancelled = true, skipped = true }

-- The people who imported what an approval covers: each once, under whichever name (approvals.ts).
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

-- Takes a row off the sums of its approval's people, or adds it again.
local function countRow(portfolio, row, id, isOut, asked)
  local approval = string.match(portfolio, '^(.-):portfolio:') .. ':approval:' .. id
  local found = redis.call('HMGET', approval, 'counted', 'answeredAt')
  if not found[1] then return end
  countPassed(approval, isOut and found[2] or redis.call('TIME')[1] * 1000, isOut and -1 or 1, limbsOf(asked) or {})
  if isOut then redis.call('HSET', row, 'unpassed', id) else redis.call('HDEL', row, 'unpassed') end
end
