-- Adds a user, unless the name is taken. Safe to repeat. Ends the sessions of a console without users.
-- KEYS[1] the user   KEYS[2] the names of all users   KEYS[3] links that open the console without users, and their sessions
-- ARGV[1] name   ARGV[2] epoch   ARGV[3] ms within which the password must be changed, "" for no limit
-- ARGV[4] roles   ARGV[5] the password's digest   ARGV[6] beginning of sessions' keys
-- Answers 1, or 0 if the name is taken
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
