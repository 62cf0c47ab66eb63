-- Finds those buyers that a portfolio brought, or asks for.
-- KEYS buyers   ARGV[1] the portfolio's name   ARGV[2] requests of a buyer that are looked through; one with more is told in any case
-- Answers { place, what is known of it, place, … }: places begin with 1.
local found, quoted, begins = {}, cjson.encode(ARGV[1]), ARGV[1] .. '/'
local function asksFor(rows)
  if redis.call('HLEN', rows) > tonumber(ARGV[2]) then return true end
  for _, row in ipairs(redis.call('HKEYS', rows)) do
    if string.sub(row, 1, #begins) == begins then return true end
  end
  return false
end
for at, buyer in ipairs(KEYS) do
  local known = redis.call('GET', buyer)
  if known and (string.find(known, quoted, 1, true) or asksFor(buyer .. ':rows')) then
    found[#found + 1], found[#found + 2] = at, known
  end
end
return found
