-- Gives a user other roles, which ends all the user's sessions.
-- KEYS[1] the user   KEYS[2] the names of all users
-- ARGV[1] name   ARGV[2] beginning of users' keys   ARGV[3] "1" to allow removing the last admin   ARGV[4] the new epoch   ARGV[5] roles
-- Answers "done" | "unknown" | "last": no admin would be left
-- @include last-admin
local name, userPrefix, evenLast, epoch, roles = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return 'unknown' end
local staysAdmin = string.find(',' .. roles .. ',', ',admin,', 1, true)
if not staysAdmin and evenLast ~= '1' and isLastAdmin(KEYS[1], KEYS[2], name, userPrefix) then return 'last' end
redis.call('HSET', KEYS[1], 'roles', roles, 'epoch', epoch)
return 'done'
