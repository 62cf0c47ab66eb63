-- Looks for portfolios with refused or held rows among some of an account's, the latest first; and changes nothing.
-- KEYS[1] the account's portfolios   KEYS[2] what the keys of portfolios begin with
-- ARGV[1] the place of the first, counted from the latest   ARGV[2] how many are looked at
-- Answers { how many there were to look at, name, refused, held, name, … }
local names = redis.call('ZREVRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local found = { #names }
for _, name in ipairs(names) do
  local state = KEYS[2] .. name .. ':state:'
  local refused, held = redis.call('ZCARD', state .. 'refused'), redis.call('ZCARD', state .. 'held')
  if refused + held > 0 then
    found[#found + 1] = name
    found[#found + 1] = refused
    found[#found + 1] = held
  end
end
return found
