-- Writes down that a call was sent and nobody knows what became of it.
-- KEYS[1] the call   ARGV[1] owner   ARGV[2] what was heard instead of an answer
-- Answers 1, or 0 when the claim is not this owner's (any more).
local call = redis.call('HMGET', KEYS[1], 'state', 'owner')
if call[1] ~= 'claimed' or call[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'unknown', 'heard', ARGV[2])
return 1
