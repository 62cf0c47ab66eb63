-- Takes back the count of an attempt to sign in to an account. The attempt was refused before the password was checked, since too many
-- people were signing in at that moment.
-- KEYS[1] counter of the account   ARGV[1] attempts without a wait
-- Answers nothing
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local tries = redis.call('HINCRBY', KEYS[1], 'tries', -1)
if tries < tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], 'next') end
if tries <= 0 then redis.call('DEL', KEYS[1]) end
