-- Begins a session of somebody for whom an identity provider speaks; their roles are kept with it.
-- KEYS[1] the session   KEYS[2] the person's sessions
-- ARGV[1] what the keys of sessions begin with   ARGV[2] ms without a sign   ARGV[3] ms at most   ARGV[4] the most of a person
-- ARGV[5] and what follows: fields and values
-- Answers nothing
-- @include clock
-- @include put-session
local sessionPrefix, idleMs, absoluteMs, most = unpack(ARGV, 1, 4)
putSession(KEYS[1], { unpack(ARGV, 5) }, KEYS[2], sessionPrefix, { tonumber(idleMs), tonumber(absoluteMs), tonumber(most) })
