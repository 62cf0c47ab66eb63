-- Writes fields of a portfolio.
-- KEYS[1] the portfolio   ARGV[1…] "HSET" | "HDEL" | "HINCRBY", field, value ("" for HDEL), "HSET" …
-- Answers 1. Repeated, it counts twice.
-- @include archived
local portfolio = KEYS[1]
local archived = archivedError(portfolio)
if archived then return archived end
for at = 1, #ARGV, 3 do
  if ARGV[at] == 'HDEL' then
    redis.call('HDEL', portfolio, ARGV[at + 1])
  else
    redis.call(ARGV[at], portfolio, ARGV[at + 1], ARGV[at + 2])
  end
end
return 1
