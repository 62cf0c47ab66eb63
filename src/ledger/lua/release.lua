-- Gives a claim back, because nothing was made: refused, throttled, or never sent.
-- KEYS[1] the call   KEYS[2] the portfolio that asked
-- ARGV[1] owner   ARGV[2] count of the portfolio to raise, or ""   ARGV[3] count to take back, or "" (it never left)
-- A sender that was believed vanished may still hear that nothing was made: then the outcome is no longer unknown.
-- Answers 1, or 0 when the claim is not this owner's (any more).
local call = redis.call('HMGET', KEYS[1], 'state', 'owner')
if call[2] ~= ARGV[1] or (call[1] ~= 'claimed' and call[1] ~= 'unknown') then return 0 end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '' then redis.call('HINCRBY', KEYS[2], ARGV[2], 1) end
if ARGV[3] ~= '' then redis.call('HINCRBY', KEYS[2], ARGV[3], -1) end
return 1
