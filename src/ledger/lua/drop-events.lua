-- Drops events, with all that they are found by.
-- @keys lately totals events index
-- The events by time, their totals, and what the keys of events and of their index begin with.
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
