-- Deletes events and their index entries.
-- @keys lately totals events index
-- Sorted set of events by time, hash of their totals, and the beginnings of the keys of events and of their index.
-- @args …ids
-- Ids of events, which may be deleted already.
-- Answers how many existed.
-- @include event-index
local dropped = 0
for _, id in ipairs(ids) do
  dropped = dropped + redis.call('EXISTS', events .. id)
  dropEvent(lately, totals, events, index, id)
end
return dropped
