-- Lets a portfolio go on that is paused, and looks at the first answers again. Where its first rows are at an end, the rest goes.
-- Where something else paused it before that (a person, the canary), they still go first: nobody has said yes to the rest.
-- KEYS[1] the portfolio   KEYS[2] the set of the chosen
-- ARGV[1…] fields that are forgotten with the pause
-- Answers how many rows still go first, "" where all go.
-- @include archived
local portfolio, chosen = unpack(KEYS)
local archived = archivedError(portfolio)
if archived then return archived end
redis.call('HDEL', portfolio, 'paused', unpack(ARGV))
if redis.call('HDEL', portfolio, 'firstOver') == 1 then
  redis.call('HDEL', portfolio, 'first')
  redis.call('DEL', chosen)
end
return redis.call('HGET', portfolio, 'first') or ''
