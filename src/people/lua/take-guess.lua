-- Asks whether somebody may try a password or a code now, and counts it as wrong until it is known to be right: so tries that come
-- together are counted all the same. Whoever signed in from this place before has a count of their own, which strangers cannot fill,
-- and is not counted for the place.
-- KEYS[1] what strangers tried of this account   KEYS[2] what was tried of it from this place   KEYS[3] that it signed in from there
-- KEYS[4] what was tried from this place: the moment (GCRA) until which it has used up its tries   KEYS[5] the user
-- KEYS[6…] the same of the wider groups that the place is in, each with ten times the tries of the one before
-- ARGV[1] tries without a wait   ARGV[2] the first wait in ms; each is twice the one before   ARGV[3] the longest
-- ARGV[4] ms after the last try until all is forgotten   ARGV[5] the same where nobody has to wait yet
-- ARGV[6] ms in which a place gets one try back   ARGV[7] the most tries of a place
-- ARGV[8] "1" where there is room for those alone who were here before: nothing is written for others
-- ARGV[9] "1" where the place is a browser of which it is certain that the account signed in from there
-- Answers {ms to wait}, {-1} where there is no room, or {0, 1 for who was here before, epoch, roles, password, factor, until, server's clock}
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
