-- Included where lines begin or cease to count as a row. It adds up the lines that count as none, in a hash with these fields:
--   lines                     their number
--   bare                      those without an amount
--   bare:foreign, bare:long   of those, the ones in another currency, and the ones with too many digits
--   sum:left:<k>              their sum, in limbs (derive.lua)
--   unsummed                  those that belong to a row which is in no sum, since another line replaced it or a file left it out
-- The text of a faulty line is "<row key or nothing>|<amount, "foreign", "long" or nothing>|<name> <problem>". "|<name>" is missing where
-- no name is known. An older version wrote no "|<amount>" either; such a line is not in these counts.
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

-- Notes that the row of this key is in no sum from now on (sign 1), or is in one again (-1): the invalid line that belongs to it, if there
-- is one, counts in its place.
local function unsumRow(hash, key, sign)
  local faulty = redis.call('HGET', hash .. ':lines:kept', key)
  local text = faulty and redis.call('HGET', hash .. ':lines:invalid', faulty)
  if not text or not isSummed(text) or sign < 0 and not hasUnsummed(hash) then return end
  local left = { unsummed = sign }
  addLeftOut(left, text, sign)
  keepLeftOut(hash .. ':lines:left-out', left)
end
