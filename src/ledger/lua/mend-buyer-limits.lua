-- Adds a missing limit to its buyer's list, if its row is still done and its call has the same id. Without an id, removes repeated
-- ids from the list and keeps the first of each. The script may run twice, and two checks may run it at once: a repeated id then stays once.
-- @keys limits …made
-- The buyer's list; the row of the limit, and the call that made it.
-- @args id
-- The id of the limit, or "".
-- Answers the ids that were missing or repeated. A missing id is appended, since the order in which limits were granted is no longer known.
if id ~= '' then
  local row, call = redis.call('HMGET', made[1], 'state', 'limit'), redis.call('HMGET', made[2], 'state', 'id')
  if row[1] ~= 'done' or row[2] ~= id or call[1] ~= 'made' or call[2] ~= id then return {} end
  if redis.call('LPOS', limits, id) then return {} end
  redis.call('RPUSH', limits, id)
  return { id }
end
local seen, twice = {}, {}
for _, each in ipairs(redis.call('LRANGE', limits, 0, -1)) do
  seen[each] = (seen[each] or 0) + 1
  if seen[each] == 2 then twice[#twice + 1] = each end
end
for _, each in ipairs(twice) do redis.call('LREM', limits, 1 - seen[each], each) end
return twice
