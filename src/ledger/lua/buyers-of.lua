-- Finds those buyers that a portfolio brought, or asks for.
-- @keys …buyers
-- @args name most
-- name: the portfolio's; most: requests of a buyer that are looked through; one with more is told in any case.
-- Answers { place, what is known of it, place, … }: places begin with 1.
local found, quoted, begins = {}, cjson.encode(name), name .. '/'
local function asksFor(rows)
  if redis.call('HLEN', rows) > tonumber(most) then return true end
  for _, row in ipairs(redis.call('HKEYS', rows)) do
    if string.sub(row, 1, #begins) == begins then return true end
  end
  return false
end
for at, buyer in ipairs(buyers) do
  local known = redis.call('GET', buyer)
  if known and (string.find(known, quoted, 1, true) or asksFor(buyer .. ':rows')) then
    found[#found + 1], found[#found + 2] = at, known
  end
end
return found
