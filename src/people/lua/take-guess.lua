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
    local wait = free - now - (most * ten - 1) * back
    if wait > 0 then return { math.ceil(wait) } end
    places[KEYS[at]] = math.ceil(free + back)
  end
end
local bucket = isKnown and KEYS[2] or KEYS[1]
local found = redis.call('HMGET', bucket, 'tries', 'next')
local wait = tonumber(found[2] or 0) - now
if wait > 0 then return { wait } end
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
