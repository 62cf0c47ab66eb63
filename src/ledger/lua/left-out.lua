-- Included where lines begin or cease to count as a row: adds up those that count as none. Their hash has `lines`, their number; `bare`, the
-- number of those without an amount, of which `bare:foreign` are in another currency and `bare:long` have too many digits; their sum in `sum:left:<k>`, see derive.lua; and `unsummed`, how many of them belong to a row
-- all the same, which is in no sum, since another line replaced it or a file left it out.
-- The text of a faulty line is "<row key or nothing>|<amount, "foreign", "long" or nothing>|<name> <problem>", without "|<name>" where none is known. A text of an
-- older version lacks "|<amount>" too, and its line is not in these counts.
-- @include amounts

-- Adds the line with this text to the counts `left` (sign 1), or takes it off (-1).
local function addLeftOut(left, text, sign)
  local amount = string.match(text, '^[^| ]*|([^| ]*)')
  if not amount then return end
  left.lines = (left.lines or 0) + sign
  local limbs = amount ~= '' and limbsOf(amount)
  if not limbs then left.bare = (left.bare or 0) + sign end
  if amount == 'foreign' or amount == 'long' then left['bare:' .. amount] = (left['bare:' .. amount] or 0) + sign end
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

-- Whether the text has an amount, so that its line is in these counts.
local function isSummed(text)
  return string.match(text, '^[^| ]*|%S* ') ~= nil
end

-- Whether lines are counted in `unsummed`. An older version counted none, so what it noted must not be taken off.
local function hasUnsummed(hash)
  return tonumber(redis.call('HGET', hash .. ':lines:left-out', 'unsummed') or 0) > 0
end

-- Notes that the row of this key is in no sum from now on (sign 1), or is in one again (-1): the invalid line that belongs to it, if there is
-- one, counts in its place.
local function unsumRow(hash, key, sign)
  local faulty = redis.call('HGET', hash .. ':lines:kept', key)
  local text = faulty and redis.call('HGET', hash .. ':lines:invalid', faulty)
  if not text or not isSummed(text) or sign < 0 and not hasUnsummed(hash) then return end
  local left = { unsummed = sign }
  addLeftOut(left, text, sign)
  keepLeftOut(hash .. ':lines:left-out', left)
end
