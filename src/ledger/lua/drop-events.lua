-- Drops events, with all that they are found by.
-- @keys lately totals events index
-- Sorted set of events by time, hash of their totals, and the prefixes of the keys of events and of their index.
-- @args …ids
-- Names of events, which may be gone already.
-- Answers how many were there.
-- @include event-index
local dropped = 0
for _, id in ipairs(ids) do
  dropped = dropped + redis.call('EXISTS', events .. id)
  dropEvent(lately, totals, events, index, id)
end
return dropped
