-- Uses a right code up, and makes of half a session a whole one under a new token.
-- KEYS[1] half a session   KEYS[2] the new one   KEYS[3] the user   KEYS[4] the user's sessions   KEYS[5] what was counted for the account
-- KEYS[6] that the account signed in from there   KEYS[7] what was counted for the place
-- ARGV[1] what the keys of users begin with   ARGV[2] those of sessions   ARGV[3] by   ARGV[4] step of the code, or ""
-- ARGV[5] digest of the recovery code, or ""   ARGV[6] ms without a sign   ARGV[7] ms at most   ARGV[8] the most sessions of a person
-- ARGV[9] ms for which a place is known   ARGV[10] ms of the place to give back
-- Answers 1, or 0 where the code was used before or the session does not count any more
-- @include session-standing
-- @include use-factor
-- @include put-session
-- @include forgive
local userPrefix, sessionPrefix, by, step, digest, idleMs, absoluteMs, most, knownMs, backMs = unpack(ARGV)
local standing = standingOf(KEYS[1], userPrefix, tonumber(absoluteMs))
if not standing or standing.by ~= by or standing.owes ~= 'code' then return 0 end
if not useFactor(KEYS[3], step, digest) then return 0 end
local epoch = redis.call('HGET', KEYS[1], 'epoch')
local fields = { 'by', by, 'epoch', epoch, 'coded', '1', 'from', standing.from, 'agent', standing.agent }
redis.call('UNLINK', KEYS[1])
putSession(KEYS[2], fields, KEYS[4], sessionPrefix, { tonumber(idleMs), tonumber(absoluteMs), tonumber(most) })
forgive(KEYS[5], KEYS[6], KEYS[7], knownMs, backMs)
redis.call('HSET', KEYS[3], 'lastSignIn', nowMs())
return 1
