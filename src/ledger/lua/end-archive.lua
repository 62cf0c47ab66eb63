-- A portfolio has left: of its hash a few fields stay.
-- KEYS[1] the portfolio   KEYS[2] those that left   KEYS[3…] its rows in each state
-- ARGV[1] the archive's id   ARGV[2] the state, as JSON   ARGV[3] the portfolio's name   ARGV[4] now, in ms
-- ARGV[5…] the fields that stay
-- Answers 1; 0 where rows are left; -1 where the portfolio does not leave under this id.
-- @include archive-is
local portfolio, archives = KEYS[1], KEYS[2]
if isOnItsWay(portfolio, ARGV[1], 'archived') then return 1 end
if not isOnItsWay(portfolio, ARGV[1], 'leaving') then return -1 end
for at = 3, #KEYS do
  if redis.call('EXISTS', KEYS[at]) == 1 then return 0 end
end
local staying = { 'archive', ARGV[2] }
for at = 5, #ARGV do
  local value = redis.call('HGET', portfolio, ARGV[at])
  if value then staying[#staying + 1], staying[#staying + 2] = ARGV[at], value end
end
redis.call('DEL', portfolio)
redis.call('HSET', portfolio, unpack(staying))
redis.call('ZADD', archives, ARGV[4], ARGV[3])
return 1
