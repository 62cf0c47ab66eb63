-- Takes out of the index of a state or a cause the rows that are in another by now, or that there are not.
-- KEYS[1] the index   KEYS[2] what the keys of its rows begin with
-- ARGV[1] field of the row, "state" or "cause"   ARGV[2] what it says of the rows of this index   ARGV[3…] row keys that stood in it
-- Answers the keys that were in it wrongly.
-- @include archived
local wrong = {}
if isArchived(portfolioOfRow(KEYS[2])) then return wrong end
for at = 3, #ARGV do
  local isRight = redis.call('HGET', KEYS[2] .. ARGV[at], ARGV[1]) == ARGV[2]
  if not isRight and redis.call('ZREM', KEYS[1], ARGV[at]) == 1 then wrong[#wrong + 1] = ARGV[at] end
end
return wrong
