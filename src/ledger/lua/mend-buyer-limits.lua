-- Puts a limit into its buyer's list where it lacks there, if it still is that of a row that is done, and its call says the same.
-- KEYS[1] the buyer's list   KEYS[2] the row   KEYS[3] the call that made its limit   ARGV[1] id of the limit
-- Answers 1 where it was put in. Behind those that are there: in which order they were granted is not known any more.
local id = ARGV[1]
local row, call = redis.call('HMGET', KEYS[2], 'state', 'limit'), redis.call('HMGET', KEYS[3], 'state', 'id')
if row[1] ~= 'done' or row[2] ~= id or call[1] ~= 'made' or call[2] ~= id then return 0 end
if redis.call('LPOS', KEYS[1], id) then return 0 end
redis.call('RPUSH', KEYS[1], id)
return 1
