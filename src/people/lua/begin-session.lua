-- Begins a session of a user who gave the right password. With a second factor it is half a session, until the code was given.
-- Who has to set one up first has this one session alone: whoever knows the password as well is not to see the secret that is set up.
-- KEYS[1] the session   KEYS[2] the user   KEYS[3] the user's sessions   KEYS[4] what was counted for the account
-- KEYS[5] that the account signed in from there   KEYS[6] what was counted for the place
-- ARGV[1] the user's epoch when the password was compared   ARGV[2] what the keys of sessions begin with
-- ARGV[3] by   ARGV[4] from   ARGV[5] agent   ARGV[6] ms of half a session   ARGV[7] ms without a sign   ARGV[8] ms at most
-- ARGV[9] the most sessions of a person   ARGV[10] ms for which a place is known   ARGV[11] ms of the place to give back
-- ARGV[12] an epoch for who has to set up a second factor
-- Answers "gone": there is no such user any more, or it has another password or role by now | "code" | "in"
-- @include clock
-- @include put-session
-- @include forgive
local epoch, sessionPrefix, by, from, agent, halfMs, idleMs, absoluteMs, most, knownMs, backMs, nextEpoch = unpack(ARGV)
local found = redis.call('HMGET', KEYS[2], 'epoch', 'factor', 'roles')
if found[1] ~= epoch then return 'gone' end
if not found[2] and found[3] ~= 'viewer' then
  epoch = nextEpoch
  redis.call('HSET', KEYS[2], 'epoch', epoch)
  redis.call('HDEL', KEYS[2], 'pending')
end
local fields = { 'by', by, 'epoch', epoch, 'from', from, 'agent', agent }
if found[2] then
  putSession(KEYS[1], fields, nil, sessionPrefix, { tonumber(halfMs), tonumber(absoluteMs), 0 })
  forgive(KEYS[4], '', '', 0, 0)
  return 'code'
end
putSession(KEYS[1], fields, KEYS[3], sessionPrefix, { tonumber(idleMs), tonumber(absoluteMs), tonumber(most) })
forgive(KEYS[4], KEYS[5], KEYS[6], knownMs, backMs)
redis.call('HSET', KEYS[2], 'lastSignIn', nowMs())
return 'in'
