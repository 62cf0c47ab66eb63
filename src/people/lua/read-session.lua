-- Whose session this is, and whether there are any users: read once for each request.
-- KEYS[1] the session   KEYS[2] the names of all users
-- ARGV[1] beginning of users' keys   ARGV[2] ms that a session lives at most   ARGV[3] ms without activity after which it ends
-- ARGV[4] "1" if the request is a person's activity   ARGV[5] ms after which activity is written again
-- Answers {1 if there are users}, followed by {by, roles, owes} if the session is valid
-- @include session-standing
local userPrefix, absoluteMs, idleMs, counts, writeAfterMs = unpack(ARGV)
local required = redis.call('EXISTS', KEYS[2])
local standing = standingOf(KEYS[1], userPrefix, tonumber(absoluteMs))
if not standing then return { required } end
-- Reading does not prolong half a session.
if counts == '1' and standing.owes ~= 'code' then
  local now = nowMs()
  if now - standing.seen >= tonumber(writeAfterMs) then
    redis.call('HSET', KEYS[1], 'seen', now)
    redis.call('PEXPIRE', KEYS[1], math.min(tonumber(idleMs), standing.began + absoluteMs - now))
  end
end
return { required, standing.by, standing.roles, standing.owes }
