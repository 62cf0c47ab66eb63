-- Writes the rule of approval of an account, also while the memory of Redis is full.
-- KEYS[1] the account   ARGV[1, 3, …] a field   ARGV[2, 4, …] its text; '' where it has none
-- Answers what the fields were.
local before = {}
for at = 1, #ARGV, 2 do
  table.insert(before, redis.call('HGET', KEYS[1], ARGV[at]))
  if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at]) else redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
end
return before
