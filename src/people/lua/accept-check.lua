-- Uses up a proof of identity outside of a session: the password was right, and so was the code.
-- KEYS[1] the user   KEYS[2] counter of password attempts   KEYS[3] counter of code attempts
-- KEYS[4] mark that the account signed in from this address before   KEYS[5] counter of the address
-- ARGV[1] the user's epoch when both were compared   ARGV[2] time step of the code, or ""   ARGV[3] digest of the recovery code, or ""
-- ARGV[4] ms for which an address stays known   ARGV[5] ms to give back to the address   ARGV[6] "1" without a code
-- Answers 1, or 0 if the code was used before or the user's epoch changed
-- @include clock
-- @include use-factor
-- @include forgive
local epoch, step, digest, knownMs, backMs, withoutCode = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'epoch') ~= epoch then return 0 end
if withoutCode ~= '1' and not useFactor(KEYS[1], step, digest) then return 0 end
redis.call('DEL', KEYS[3])
forgive(KEYS[2], KEYS[4], KEYS[5], knownMs, backMs)
return 1
