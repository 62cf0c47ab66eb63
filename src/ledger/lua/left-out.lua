-- Included where lines begin or cease to lead to a row: adds up those that lead to none. Their hash has `lines`, their number; `bare`, the
-- number of those without a readable amount; and their sum in `sum:left:<k>`, see derive.lua.
-- The text of a faulty line is "<row key or nothing>|<amount or nothing> <problem>". A text of an older version lacks "|<amount>", and its
-- line is not in these counts.
-- @include amounts

-- Adds the line with this text to the counts `left` (sign 1), or takes it off (-1).
local function addLeftOut(left, text, sign)
  local amount = string.match(text, '^[^| ]*|(%S*) ')
  if not amount then return end
  left.lines = (left.lines or 0) + sign
  local limbs = amount ~= '' and limbsOf(amount)
  if not limbs then left.bare = (left.bare or 0) + sign end
  for k, limb in pairs(limbs or {}) do
    local field = 'sum:left:' .. k
    left[field] = (left[field] or 0) + sign * limb
  end
end

local function keepLeftOut(hash, left)
  for field, count in pairs(left) do
    if count ~= 0 then redis.call('HINCRBY', hash, field, string.format('%.0f', count)) end
  end
end
