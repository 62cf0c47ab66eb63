-- Begins a session of a user with the right password. With a second factor it is half a session until the code is given.
-- A user who must set up a factor keeps only this session: another person with the password must not see the secret being set up.
-- KEYS[1] the session   KEYS[2] the user   KEYS[3] the user's sessions   KEYS[4] counter of the account
-- KEYS[5] mark that the account signed in from this address before   KEYS[6] counter of the address
-- ARGV[1] the user's epoch when the password was compared   ARGV[2] beginning of sessions' keys
-- ARGV[3] by   ARGV[4] from   ARGV[5] agent   ARGV[6] ms of half a session   ARGV[7] ms without activity   ARGV[8] ms at most
-- ARGV[9] most sessions of a person   ARGV[10] ms for which an address stays known   ARGV[11] ms to give back to the address
-- ARGV[12] a new epoch for a user who must set up a second factor
-- Answers "gone": the user was removed, or has another password or role by now | "code" | "in"
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
