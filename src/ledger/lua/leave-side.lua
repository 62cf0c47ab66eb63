-- Ends what change-side.lua began, when every row has come over: what is left on the old side was no row's. Causes of which no row
-- is left are forgotten.
-- @keys portfolio old causes
-- The portfolio, its sums of the old side, and its causes.
-- @args side
-- The side on which the rows are.
-- Answers { field, value, … } of what was left; nothing where another has changed the side again.
-- @include archived
if isArchived(portfolio) then return {} end
for _, cause in ipairs(redis.call('HKEYS', causes)) do
  if redis.call('EXISTS', portfolio .. ':cause:' .. cause) == 0 then redis.call('HDEL', causes, cause) end
end
if (redis.call('HGET', portfolio, 'side') or 'a') ~= side then return {} end
local left = redis.call('HGETALL', old)
redis.call('DEL', old)
return left
