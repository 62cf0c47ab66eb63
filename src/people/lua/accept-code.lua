-- Uses a right code up, and turns half a session (begun with the password, waiting for the code) into a whole one under a new token.
-- KEYS[1] the half session   KEYS[2] the new one   KEYS[3] the user   KEYS[4] the user's sessions   KEYS[5] counter of the account
-- KEYS[6] mark that the account signed in from this address before   KEYS[7] counter of the address
-- ARGV[1] beginning of users' keys   ARGV[2] of sessions' keys   ARGV[3] by   ARGV[4] time step of the code, or ""
-- ARGV[5] digest of the recovery code, or ""   ARGV[6] ms without activity   ARGV[7] ms at most   ARGV[8] most sessions of a person
-- ARGV[9] ms for which an address stays known   ARGV[10] ms to give back to the address
-- Answers 1, or 0 if the code was used before or the session is no longer valid
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
