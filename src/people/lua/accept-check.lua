-- Uses up what proved who somebody is, outside of a session: the password was right, and so was the code.
-- KEYS[1] the user   KEYS[2] what was counted of passwords   KEYS[3] what was counted of codes
-- KEYS[4] that the account was here before   KEYS[5] what was counted for the place
-- ARGV[1] the user's epoch when both were compared   ARGV[2] step of the code, or ""   ARGV[3] digest of the recovery code, or ""
-- ARGV[4] ms for which a place is known   ARGV[5] ms of the place to give back   ARGV[6] "1" where there is no code
-- Answers 1, or 0 where the code was used before or the user is another by now
-- @include clock
-- @include use-factor
-- @include forgive
local epoch, step, digest, knownMs, backMs, withoutCode = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'epoch') ~= epoch then return 0 end
if withoutCode ~= '1' and not useFactor(KEYS[1], step, digest) then return 0 end
redis.call('DEL', KEYS[3])
forgive(KEYS[2], KEYS[4], KEYS[5], knownMs, backMs)
return 1
