-- Adds a user, unless there is one of this name. Said twice it is done once. Whoever came without being a user has to sign in.
-- KEYS[1] the user   KEYS[2] the names of all users   KEYS[3] the links that open the console without users, and their sessions
-- ARGV[1] name   ARGV[2] epoch   ARGV[3] ms for which the password is good until it is changed, "" where it need not be
-- ARGV[4] roles   ARGV[5] the password's digest   ARGV[6] what the keys of sessions begin with
-- Answers 1, or 0 where there is one already
-- @include clock
local name, epoch, untilMs, roles, password, sessionPrefix = unpack(ARGV)
local found = redis.call('HGET', KEYS[1], 'epoch')
if found then return found == epoch and 1 or 0 end
local now = nowMs()
redis.call('HSET', KEYS[1], 'epoch', epoch, 'roles', roles, 'password', password, 'created', now)
if untilMs ~= '' then redis.call('HSET', KEYS[1], 'until', now + untilMs) end
redis.call('ZADD', KEYS[2], 0, name)
for _, digest in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('UNLINK', sessionPrefix .. digest) end
redis.call('UNLINK', KEYS[3])
return 1
