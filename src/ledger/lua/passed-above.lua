-- Which sum would be above its limit, by buyer or person, if some refused rows went again; or for rows that wait for an approval, by
-- buyer, if it were granted. Looks at so many rows as keep Redis busy for milliseconds.
-- KEYS[1] the portfolio   KEYS[2] what the keys of its rows begin with
-- ARGV[1] the approval that the rows wait for, or ""   ARGV[2] limit for a buyer, or ""   ARGV[3] limit for a person, or ""
-- ARGV[4] the days for which it counts what passed   ARGV[5…] keys of rows
-- Answers { how many rows were looked at }, and behind that, where a sum is above its limit, what told has.
-- @include move
-- @include above
-- @include passed
local portfolio, begins = unpack(KEYS)
local own, rule = ARGV[1], { above = ARGV[2], person = ARGV[3], days = tonumber(ARGV[4]) }
local MOST_LOOKED_AT = 2000
local besides = {}

-- All of a buyer's rows that wait for the approval count together.
local function overIfGranted(row)
  local buyer = string.match(redis.call('HGET', row, 'request') or '', '"buyer":"([^"]+)"')
  if not buyer or besides[buyer] then return nil end
  besides[buyer] = true
  local limbs = buyerOver(rootOf(portfolio), buyer, rule, own, {})
  return limbs and told('buyer', cjson.decode(redis.call('HGET', row, 'request')).name, limbs)
end

for at = 5, #ARGV do
  local row = begins .. ARGV[at]
  looked = looked + 1
  local over = own == '' and overOf(portfolio, row, rule, besides) or own ~= '' and overIfGranted(row)
  if over then return { at - 4, unpack(over) } end
  if looked > MOST_LOOKED_AT then return { at - 4 } end
end
return { #ARGV - 4 }
