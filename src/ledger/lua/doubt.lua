-- Writes down that a call was sent and nobody knows what became of it.
-- KEYS[1] the call   ARGV[1] owner   ARGV[2] what was heard instead of an answer
-- Answers when it was sent, in ms, or "" when the claim is not this owner's (any more).
local call = redis.call('HMGET', KEYS[1], 'state', 'owner', 'at')
if call[2] ~= ARGV[1] or (call[1] ~= 'claimed' and call[1] ~= 'unknown') then return '' end
redis.call('HSET', KEYS[1], 'state', 'unknown', 'heard', ARGV[2])
return call[3]
