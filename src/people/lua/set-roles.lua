-- Gives a user other roles, by which all sessions of the user end.
-- KEYS[1] the user   KEYS[2] the names of all users
-- ARGV[1] name   ARGV[2] what the keys of users begin with   ARGV[3] "1" where the last admin may go   ARGV[4] the new epoch   ARGV[5] roles
-- Answers "done" | "unknown" | "last": nobody would be admin any more
-- @include last-admin
local name, userPrefix, evenLast, epoch, roles = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return 'unknown' end
local staysAdmin = string.find(',' .. roles .. ',', ',admin,', 1, true)
if not staysAdmin and evenLast ~= '1' and isLastAdmin(KEYS[1], KEYS[2], name, userPrefix) then return 'last' end
redis.call('HSET', KEYS[1], 'roles', roles, 'epoch', epoch)
return 'done'
