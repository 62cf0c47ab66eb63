-- Attempts to sign in: passwords, codes and their counters. Each script of this file begins with its name.

-- @script take-guess
-- Asks whether a password or code may be tried now, and counts it as wrong until it turns out right, so that simultaneous attempts all
-- count. An account that signed in from this address before has a counter of its own there, which strangers cannot fill, and is not
-- counted for the address.
-- KEYS[1] counter of strangers' attempts at the account   KEYS[2] the account's own at this address   KEYS[3] set if it signed in there
-- KEYS[4] attempts from this address: the time (GCRA) until which they are used up   KEYS[5] the user
-- KEYS[6…] the same for wider groups of addresses, each with ten times the attempts of the one before
-- ARGV[1] attempts without a wait   ARGV[2] the first wait in ms; each is twice the one before   ARGV[3] the longest
-- ARGV[4] ms after the last attempt until all is forgotten   ARGV[5] the same while nobody has to wait yet
-- ARGV[6] ms in which an address gets one attempt back   ARGV[7] the most attempts of an address
-- ARGV[8] "1" if only known accounts have room: nothing is written for others
-- ARGV[9] "1" if the browser proved that the account signed in from it
-- Answers {ms to wait}, {-1} without room, or {0, 1 if known, epoch, roles, password, factor, until, server's clock}
-- @include clock
local freeTries, firstMs, longestMs, forgetMs, forgetFewMs, backMs, most, onlyKnown, isOurs = unpack(ARGV)
local now = nowMs()
local isKnown = isOurs == '1' or redis.call('EXISTS', KEYS[3]) == 1
if onlyKnown == '1' and not isKnown then return { -1 } end
local places = {}
for at = 4, isKnown and 3 or #KEYS do
  if at ~= 5 then
    local ten = 10 ^ math.max(0, at - 5)
    local back, free = backMs / ten, math.max(tonumber(redis.call('GET', KEYS[at]) or 0), now)
    -- A longer wait than any is from before the clock was set back. A server a little behind must not give all attempts anew.
    if isAhead(free - most * ten * back) then free = now end
    local wait = free - now - (most * ten - 1) * back
    if wait > 0 then return { math.ceil(wait) } end
    places[KEYS[at]] = math.ceil(free + back)
  end
end
local bucket = isKnown and KEYS[2] or KEYS[1]
local found = redis.call('HMGET', bucket, 'tries', 'next')
local wait = tonumber(found[2] or 0) - now
if wait > 0 and not isAhead(found[2] - longestMs) then return { wait } end
for place, free in pairs(places) do redis.call('SET', place, free, 'PX', math.max(1, free - now)) end
local tries = tonumber(found[1] or 0) + 1
redis.call('HSET', bucket, 'tries', tries)
local mustWait = tries >= tonumber(freeTries)
if mustWait then
  redis.call('HSET', bucket, 'next', now + math.min(firstMs * 2 ^ math.min(tries - freeTries, 30), tonumber(longestMs)))
end
redis.call('PEXPIRE', bucket, mustWait and forgetMs or forgetFewMs)
local user = redis.call('HMGET', KEYS[5], 'epoch', 'roles', 'password', 'factor', 'until')
return { 0, isKnown and 1 or 0, user[1], user[2], user[3], user[4], user[5], now }

-- @script untake-guess
-- Takes back the count of an attempt to sign in to an account. The attempt was refused before the password was checked, since too many
-- people were signing in at that moment.
-- KEYS[1] counter of the account   ARGV[1] attempts without a wait
-- Answers nothing
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local tries = redis.call('HINCRBY', KEYS[1], 'tries', -1)
if tries < tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], 'next') end
if tries <= 0 then redis.call('DEL', KEYS[1]) end

-- @script forgive
-- Takes back the counting of an attempt that turned out right. Includes clock.lua.
-- bucket: counter of the account   marker: mark that the account signed in from this address, '' to set none
-- address: counter of the address   backMs: how much of it is given back, 0 for nothing
local function forgive(bucket, marker, address, knownMs, backMs)
  redis.call('DEL', bucket)
  if marker ~= '' then redis.call('SET', marker, 1, 'PX', knownMs) end
  if tonumber(backMs) == 0 then return end
  local now, free = nowMs(), redis.call('GET', address)
  if not free then return end
  local left = free - backMs - now
  if left <= 0 then redis.call('DEL', address) else redis.call('SET', address, now + left, 'PX', left) end
end

-- @script use-factor
-- Uses a code up: an app's code for its time step and all earlier ones (RFC 6238, section 5.2), or a recovery code.
-- user: the key   step: the code's time step, or ''   digest: of a recovery code, or ''
-- Answers whether the code was still unused
local function useFactor(user, step, digest)
  local last, kept = unpack(redis.call('HMGET', user, 'step', 'recovery'))
  if step ~= '' then
    if last and tonumber(last) >= tonumber(step) then return false end
    redis.call('HSET', user, 'step', step)
    return true
  end
  local left, isThere = {}, false
  for one in string.gmatch(kept or '', '%S+') do
    if one == digest and digest ~= '' then isThere = true else left[#left + 1] = one end
  end
  if isThere then redis.call('HSET', user, 'recovery', table.concat(left, ' ')) end
  return isThere
end

-- @script begin-session
-- Begins a session of a user with the right password. With a second factor it is half a session until the code is given.
-- Other sessions of a user who must set up a factor end: another person with the password must not see the secret being set up.
-- KEYS[1] the session   KEYS[2] the user   KEYS[3] the user's sessions   KEYS[4] counter of the account
-- KEYS[5] mark that the account signed in from this address before   KEYS[6] counter of the address
-- ARGV[1] the user's epoch when the password was compared   ARGV[2] beginning of sessions' keys
-- ARGV[3] by   ARGV[4] from   ARGV[5] agent   ARGV[6] ms of half a session   ARGV[7] ms without activity   ARGV[8] ms at most
-- ARGV[9] most sessions of a person   ARGV[10] ms for which an address stays known   ARGV[11] ms to give back to the address
-- ARGV[12] a new epoch for a user who must set up a second factor
-- Answers "gone": the user was removed, or has another password or role by now | "code" | "in"
-- @include clock
-- @include sessions#put-session
-- @include #forgive
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

-- @script accept-code
-- Uses a right code up, and turns half a session (begun with the password, waiting for the code) into a whole one under a new token.
-- KEYS[1] the half session   KEYS[2] the new one   KEYS[3] the user   KEYS[4] the user's sessions   KEYS[5] counter of the account
-- KEYS[6] mark that the account signed in from this address before   KEYS[7] counter of the address
-- ARGV[1] beginning of users' keys   ARGV[2] of sessions' keys   ARGV[3] by   ARGV[4] time step of the code, or ""
-- ARGV[5] digest of the recovery code, or ""   ARGV[6] ms without activity   ARGV[7] ms at most   ARGV[8] most sessions of a person
-- ARGV[9] ms for which an address stays known   ARGV[10] ms to give back to the address
-- Answers 1, or 0 if the code was used before or the session is no longer valid
-- @include sessions#session-standing
-- @include #use-factor
-- @include sessions#put-session
-- @include #forgive
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

-- @script accept-check
-- Uses up a proof of identity outside of a session: the password was right, and so was the code.
-- KEYS[1] the user   KEYS[2] counter of password attempts   KEYS[3] counter of code attempts
-- KEYS[4] mark that the account signed in from this address before   KEYS[5] counter of the address
-- ARGV[1] the user's epoch when both were compared   ARGV[2] time step of the code, or ""   ARGV[3] digest of the recovery code, or ""
-- ARGV[4] ms for which an address stays known   ARGV[5] ms to give back to the address   ARGV[6] "1" without a code
-- Answers 1, or 0 if the code was used before or the user's epoch changed
-- @include clock
-- @include #use-factor
-- @include #forgive
local epoch, step, digest, knownMs, backMs, withoutCode = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'epoch') ~= epoch then return 0 end
if withoutCode ~= '1' and not useFactor(KEYS[1], step, digest) then return 0 end
redis.call('DEL', KEYS[3])
forgive(KEYS[2], KEYS[4], KEYS[5], knownMs, backMs)
return 1
