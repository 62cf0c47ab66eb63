-- Ends a session of any kind.
-- KEYS[1] the session   ARGV[1] beginning of sessions' keys   ARGV[2] beginning of the keys of a person's sessions
-- Answers whose session it was, or nil
local by = redis.call('HGET', KEYS[1], 'by')
if not by then return nil end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', ARGV[2] .. by, string.sub(KEYS[1], #ARGV[1] + 1))
return by
