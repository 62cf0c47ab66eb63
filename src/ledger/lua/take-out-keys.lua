-- Takes keys of a portfolio that leaves out of Redis, other than its rows and its hash.
-- KEYS[1] the portfolio   KEYS[2] the key of an approval, less its id
-- ARGV[1] the archive's id   ARGV[2…] the names of the keys in the archive (archive-lines.lua)
-- Answers 1; -1 where the portfolio does not leave under this id.
-- @include archive-is
-- @include archive-lines
local portfolio, approvals = unpack(KEYS)
if not isOnItsWay(portfolio, ARGV[1], 'leaving') then return -1 end
for at = 2, #ARGV do
  local key = keyOf(ARGV[at], portfolio, approvals)
  if key ~= portfolio then redis.call('UNLINK', key) end
end
return 1
