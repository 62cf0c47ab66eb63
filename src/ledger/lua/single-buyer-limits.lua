-- Takes out of a buyer's list what stands in it more than once, in one step: two checks that both saw it twice leave it once, and so
-- does one whose reply was lost and who asks again.
-- KEYS[1] the buyer's list
-- Answers the ids that stood there more than once. Each keeps its first place.
local seen, twice = {}, {}
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  seen[id] = (seen[id] or 0) + 1
  if seen[id] == 2 then twice[#twice + 1] = id end
end
for _, id in ipairs(twice) do redis.call('LREM', KEYS[1], 1 - seen[id], id) end
return twice
