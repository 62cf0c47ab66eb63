-- Drops events, with all that they are found by.
-- KEYS[1] the events by time   KEYS[2] their totals   KEYS[3] what the keys of events begin with   KEYS[4] and those of their index
-- ARGV[1…] names of events, which may be gone already
-- Answers how many were there.
-- @include event-index
local dropped = 0
for _, id in ipairs(ARGV) do
  dropped = dropped + redis.call('EXISTS', KEYS[3] .. id)
  dropEvent(KEYS[1], KEYS[2], KEYS[3], KEYS[4], id)
end
return dropped
