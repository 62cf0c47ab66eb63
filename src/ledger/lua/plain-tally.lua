-- Included where most amounts are short (put-new-rows.lua).
-- Answers an amount as the one integer that it is in a sum (amounts.lua), as text, or nil for one that needs more than that.
local function plainUnits(amount)
  local whole, point, cents = string.match(amount, '^([1-9]%d?%d?%d?%d?%d?%d?%d?)(%.?)(%d?%d?)$')
  if not whole or (point == '') ~= (cents == '') then return nil end
  return whole .. (cents == '' and '00' or #cents == 1 and cents .. '0' or cents)
end
