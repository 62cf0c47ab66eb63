-- Ends what change-side.lua began, when every row has come over: what is left on the old side was no row's. Causes of which no row
-- is left are forgotten.
-- KEYS[1] the portfolio   KEYS[2] its sums of the old side   KEYS[3] its causes   ARGV[1] side on which the rows are
-- Answers { field, value, … } of what was left; nothing where another has changed the side again.
-- @include archived
if isArchived(KEYS[1]) then return {} end
for _, cause in ipairs(redis.call('HKEYS', KEYS[3])) do
  if redis.call('EXISTS', KEYS[1] .. ':cause:' .. cause) == 0 then redis.call('HDEL', KEYS[3], cause) end
end
if (redis.call('HGET', KEYS[1], 'side') or 'a') ~= ARGV[1] then return {} end
local left = redis.call('HGETALL', KEYS[2])
redis.call('DEL', KEYS[2])
return left
