-- Takes back that a night was begun, where it goes on elsewhere since its process stops: that is no death.
-- KEYS[1] the runs   ARGV[1] task   ARGV[2] night
-- Answers nothing. A repetition takes back one beginning too many, which is harmless.
local field = ARGV[1] .. ' now'
local night, begun, rest = string.match(redis.call('HGET', KEYS[1], field) or '', '^(%S+) (%d+) (.*)$')
if night ~= ARGV[2] then return end
if tonumber(begun) <= 1 then
  redis.call('HDEL', KEYS[1], field)
else
  redis.call('HSET', KEYS[1], field, night .. ' ' .. (tonumber(begun) - 1) .. ' ' .. rest)
end
