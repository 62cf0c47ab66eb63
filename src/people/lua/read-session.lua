-- Whose session this is, and whether there are users at all: what each request asks, in one look.
-- KEYS[1] the session   KEYS[2] the names of all users
-- ARGV[1] what the keys of users begin with   ARGV[2] ms that a session lives at most   ARGV[3] ms without a sign after which it ends
-- ARGV[4] "1" where a person did something   ARGV[5] ms after which their sign is written down anew
-- Answers {1 where there are users}, and behind it {by, roles, owes} where the session counts
-- @include session-standing
local userPrefix, absoluteMs, idleMs, counts, writeAfterMs = unpack(ARGV)
local required = redis.call('EXISTS', KEYS[2])
local standing = standingOf(KEYS[1], userPrefix, tonumber(absoluteMs))
if not standing then return { required } end
-- Half a session does not live longer by being looked at.
if counts == '1' and standing.owes ~= 'code' then
  local now = nowMs()
  if now - standing.seen >= tonumber(writeAfterMs) then
    redis.call('HSET', KEYS[1], 'seen', now)
    redis.call('PEXPIRE', KEYS[1], math.min(tonumber(idleMs), standing.began + absoluteMs - now))
  end
end
return { required, standing.by, standing.roles, standing.owes }
