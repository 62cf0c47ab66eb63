-- Begins a session of a person of an identity provider, with the person's roles.
-- KEYS[1] the session   KEYS[2] the person's sessions
-- ARGV[1] beginning of sessions' keys   ARGV[2] ms without activity   ARGV[3] ms at most   ARGV[4] most sessions of a person
-- ARGV[5] and following: fields and values
-- Answers nothing
-- @include clock
-- @include put-session
local sessionPrefix, idleMs, absoluteMs, most = unpack(ARGV, 1, 4)
putSession(KEYS[1], { unpack(ARGV, 5) }, KEYS[2], sessionPrefix, { tonumber(idleMs), tonumber(absoluteMs), tonumber(most) })
