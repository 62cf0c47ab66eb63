-- Takes a try off the count of an account that was counted and not made, since too many people signed in at that moment.
-- KEYS[1] what was counted for the account   ARGV[1] tries without a wait
-- Answers nothing
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local tries = redis.call('HINCRBY', KEYS[1], 'tries', -1)
if tries < tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], 'next') end
if tries <= 0 then redis.call('DEL', KEYS[1]) end
