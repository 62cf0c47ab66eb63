-- Removes a user, and ends all the user's sessions.
-- KEYS[1] the user   KEYS[2] the names of all users   KEYS[3] the user's sessions
-- ARGV[1] name   ARGV[2] beginning of users' keys   ARGV[3] "1" to allow removing the last admin   ARGV[4] beginning of sessions' keys
-- Answers "done" | "unknown" | "last": no admin would be left
-- @include last-admin
local name, userPrefix, evenLast, sessionPrefix = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return 'unknown' end
local isOnly = redis.call('ZCARD', KEYS[2]) == 1
if evenLast ~= '1' and (isOnly or isLastAdmin(KEYS[1], KEYS[2], name, userPrefix)) then return 'last' end
for _, digest in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('UNLINK', sessionPrefix .. digest) end
redis.call('UNLINK', KEYS[1], KEYS[3])
redis.call('ZREM', KEYS[2], name)
return 'done'
