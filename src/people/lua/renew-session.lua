-- Gives a session another token; the old one becomes invalid.
-- KEYS[1] the session   KEYS[2] the session under its new token
-- ARGV[1] beginning of users' keys   ARGV[2] of sessions' keys   ARGV[3] of the keys of a person's sessions
-- ARGV[4] ms that a session lives at most
-- Answers 1, or 0 if the session is not valid
-- @include session-standing
local userPrefix, sessionPrefix, sessionsOfPrefix, absoluteMs = unpack(ARGV)
local standing = standingOf(KEYS[1], userPrefix, tonumber(absoluteMs))
if not standing then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
local sessionsOf = sessionsOfPrefix .. standing.by
if redis.call('ZREM', sessionsOf, string.sub(KEYS[1], #sessionPrefix + 1)) == 1 then
  redis.call('ZADD', sessionsOf, standing.began, string.sub(KEYS[2], #sessionPrefix + 1))
end
return 1
