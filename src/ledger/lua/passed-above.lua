-- Finds a sum that would be above its limit: by buyer or person, if some refused rows were sent again; or by buyer, if the approval that
-- some rows wait for were granted.
-- @keys portfolio begins
-- Keys: begins: the key prefix of the portfolio's rows.
-- @args id above person days others …rows
-- id: the approval that the rows wait for, or ""; above: limit for a buyer, or ""; person: limit for a person, or ""; days: for
-- how many days earlier rows without an approval count; others: sums by buyer and person of rows that go together with these, as an earlier
-- answer, in JSON; rows: the keys of the rows.
-- Answers the sum as `told` has it (above.lua), or { "", whose sum, k, limb, whose sum, … }: the sums by buyer and person with these rows.
-- @include move
-- @include above
-- @include passed
local rule, besides = { above = above, person = person, days = tonumber(days) }, {}
local given = cjson.decode(others)
for at = 2, #given, 3 do
  local sum = besides[given[at]] or {}
  besides[given[at]], sum[tonumber(given[at + 1])] = sum, tonumber(given[at + 2])
end
local own = { id = id, ticket = id ~= '' and tonumber(redis.call('HGET', approvalKey(portfolio, id), 'ticket') or 0) }

-- All rows of a buyer that wait for the approval count together, with the rows of buyers that may be the same company.
local function overIfGranted(row)
  local buyer = string.match(redis.call('HGET', row, 'request') or '', '"buyer":"([^"]+)"')
  if not buyer or besides[buyer] then return nil end
  local group = alikeTo(rootOf(portfolio), buyer)
  for _, one in ipairs(group or {}) do besides[one] = true end
  local limbs = group and buyersOver(rootOf(portfolio), group, rule, own, {})
  if group and not limbs then return nil end
  return told(group and 'buyer' or 'alike', cjson.decode(redis.call('HGET', row, 'request')).name, limbs or {})
end

for _, key in ipairs(rows) do
  local row = begins .. key
  local over = id == '' and overOf(portfolio, row, rule, besides) or id ~= '' and overIfGranted(row)
  if over then return over end
end
local sums = { '' }
for whose, limbs in pairs(besides) do
  for k, limb in pairs(id == '' and limbs or {}) do
    sums[#sums + 1], sums[#sums + 2], sums[#sums + 3] = whose, tostring(k), string.format('%.0f', limb)
  end
end
return sums
