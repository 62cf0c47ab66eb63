-- Included where a sum is compared with a limit, such as all that a portfolio requests except rows that were given up or replaced. Sums are
-- fields of integers at powers of ten (derive.lua). This file adds them up in limbs of 10 digits, which no addition rounds.
-- @include amounts
local COUNTED = { 'queued', 'company', 'documents', 'limit', 'done', 'refused', 'held', 'skipped', 'awaiting' }

-- Adds a field's integer, as text, to limbs of 10 digits.
local function addLimb(limbs, k, text)
  local sign, digits = string.match(text, '^(%-?)(%d+)$')
  while digits and digits ~= '' do
    limbs[k] = (limbs[k] or 0) + tonumber(sign .. string.sub(digits, -LIMB))
    digits, k = string.sub(digits, 1, -LIMB - 1), k + 1
  end
end

local function carried(limbs)
  local carry = 0
  for k = -5, 15 do
    local value = (limbs[k] or 0) + carry
    carry = math.floor(value / 10 ^ LIMB)
    limbs[k] = value - carry * 10 ^ LIMB
  end
  return limbs
end

local function isAbove(limbs, above)
  local most = carried(limbsOf(above) or {})
  carried(limbs)
  for k = 15, -5, -1 do
    if limbs[k] ~= (most[k] or 0) then return limbs[k] > (most[k] or 0) end
  end
  return false
end

local function askedBy(portfolio)
  local limbs = {}
  for _, side in ipairs({ 'a', 'b' }) do
    local sums = redis.call('HGETALL', portfolio .. ':sums:' .. side)
    for at = 1, #sums, 2 do
      local state, k = string.match(sums[at], '^sum:(%l+):(%-?%d+)$')
      for _, counted in ipairs(COUNTED) do
        if state == counted then addLimb(limbs, tonumber(k), sums[at + 1]) end
      end
    end
  end
  return limbs
end

-- A sum in the form in which scripts answer it: { whose sum it is ("portfolio", "buyer" …), name of that portfolio or buyer, k, limb, … }.
local function told(of, name, limbs)
  local words = { of, name }
  for k, limb in pairs(carried(limbs)) do
    if limb ~= 0 then words[#words + 1], words[#words + 2] = tostring(k), string.format('%.0f', limb) end
  end
  return words
end
