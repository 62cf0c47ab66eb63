-- Lets a portfolio go on that is paused, and looks at the first answers again. Where its first rows are at an end, the rest goes.
-- Where something else paused it before that (a person, the canary), they still go first: nobody has said yes to the rest.
-- @keys portfolio chosen
-- The portfolio, and the set of the chosen.
-- @args …fields
-- Those that are forgotten with the pause.
-- Answers how many rows still go first, "" where all go.
-- @include archived
local archived = archivedError(portfolio)
if archived then return archived end
redis.call('HDEL', portfolio, 'paused', unpack(fields))
if redis.call('HDEL', portfolio, 'firstOver') == 1 then
  redis.call('HDEL', portfolio, 'first')
  redis.call('DEL', chosen)
end
return redis.call('HGET', portfolio, 'first') or ''
