-- Which sum would be above its limit, by buyer or person, if some refused rows went again; or for rows that wait for an approval, by
-- buyer, if it were granted.
-- KEYS[1] the portfolio   KEYS[2] what the keys of its rows begin with
-- ARGV[1] the approval that the rows wait for, or ""   ARGV[2] limit for a buyer, or ""   ARGV[3] limit for a person, or ""
-- ARGV[4] the days for which it counts what passed   ARGV[5…] keys of rows
-- Answers what told has of that sum (above.lua), or {}
-- @include move
-- @include above
-- @include passed
local portfolio, begins = unpack(KEYS)
local id, rule = ARGV[1], { above = ARGV[2], person = ARGV[3], days = tonumber(ARGV[4]) }
local besides = {}
local own = { id = id, ticket = id ~= '' and tonumber(redis.call('HGET', approvalKey(portfolio, id), 'ticket') or 0) }

-- All of a buyer's rows that wait for the approval count together, and those of all that may be the same.
local function overIfGranted(row)
  local buyer = string.match(redis.call('HGET', row, 'request') or '', '"buyer":"([^"]+)"')
  if not buyer or besides[buyer] then return nil end
  local group = alikeTo(rootOf(portfolio), buyer)
  for _, one in ipairs(group or {}) do besides[one] = true end
  local limbs = group and buyersOver(rootOf(portfolio), group, rule, own, {})
  if group and not limbs then return nil end
  return told(group and 'buyer' or 'alike', cjson.decode(redis.call('HGET', row, 'request')).name, limbs or {})
end

for at = 5, #ARGV do
  local row = begins .. ARGV[at]
  local over = id == '' and overOf(portfolio, row, rule, besides) or id ~= '' and overIfGranted(row)
  if over then return over end
end
return {}
