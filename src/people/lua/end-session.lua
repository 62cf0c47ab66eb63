-- Ends a session, whatever it is.
-- KEYS[1] the session   ARGV[1] what the keys of sessions begin with   ARGV[2] those of a person's sessions
-- Answers whose it was, or nil
local by = redis.call('HGET', KEYS[1], 'by')
if not by then return nil end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', ARGV[2] .. by, string.sub(KEYS[1], #ARGV[1] + 1))
return by
