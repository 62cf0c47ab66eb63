-- Included where amounts are added up: decimal text becomes integers that Redis adds exactly. Field k of a sum holds units of
-- 10^(10k - 2): most amounts are one integer, and any size is exact.
local LIMB = 10

-- Answers { [k] = limb, … } of a decimal text, or nil if the text is no decimal or has digits beyond 10^98 or 10^-42.
local amountsRead = {}
local function readAmount(text)
  local whole, point, cents = string.match(text, '^(%d+)(%.?)(%d?%d?)$')
  if whole and #whole <= LIMB - 2 and (point ~= '') == (cents ~= '') then
    return { [0] = tonumber(whole .. string.sub(cents .. '00', 1, 2)) }
  end
  if #text > 150 then return nil end
  local mantissa, exponent = string.match(text, '^([^eE]+)[eE]([+-]?%d%d?%d?)$')
  if not mantissa then mantissa, exponent = text, '0' end
  local sign, digits, decimals = string.match(mantissa, '^(%-?)(%d+)%.(%d+)$')
  if not sign then
    sign, digits = string.match(mantissa, '^(%-?)(%d+)$')
    decimals = ''
  end
  if not sign then return nil end
  -- The last digit has the value 10^(last - 2). Zeros at both ends are dropped.
  local last = tonumber(exponent) - #decimals + 2
  digits = string.gsub(digits .. decimals, '^0+', '')
  local short = string.gsub(digits, '0+$', '')
  last = last + #digits - #short
  if short == '' then return {} end
  if last < -40 or last + #short > 100 then return nil end
  local limbs, k = {}, math.floor(last / LIMB)
  short = short .. string.rep('0', last - k * LIMB)
  while short ~= '' do
    limbs[k] = tonumber(sign .. string.sub(short, -LIMB))
    short = string.sub(short, 1, -LIMB - 1)
    k = k + 1
  end
  return limbs
end

local function limbsOf(text)
  local known = amountsRead[text]
  if known == nil then
    known = readAmount(text) or false
    amountsRead[text] = known
  end
  return known
end

-- Keeps "" and readable amounts; anything else becomes "?".
local function amountText(text)
  if text == nil or text == '' then return '' end
  return type(text) == 'string' and limbsOf(text) and text or '?'
end

local function isBelow(granted, requested)
  local less, more = limbsOf(granted), limbsOf(requested)
  if not less or not more then return false end
  for k = 9, -4, -1 do
    local difference = (less[k] or 0) - (more[k] or 0)
    if difference ~= 0 then return difference < 0 end
  end
  return false
end

-- Compares a granted amount with the requested one: "4" is enough, "5" is less and above zero, "6" is nothing, "7" is unknown.
local function shareOf(granted, requested)
  if granted == '' or not limbsOf(granted) or not limbsOf(requested) then return '7' end
  if not isBelow('0', granted) then return '6' end
  return isBelow(granted, requested) and '5' or '4'
end
