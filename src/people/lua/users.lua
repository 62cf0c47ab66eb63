-- Users and their roles. Each script of this file begins with its name.

-- @script add-user
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

-- @script change-user
-- Changes fields of an existing user in one step.
-- KEYS[1] the user   KEYS[2] a session that survives the change of epoch, or the user's key for none
-- ARGV[1] the new epoch, "" to keep it   ARGV[2] a field to check, "" for none   ARGV[3] its expected value; else nothing is done
-- ARGV[4] a field to set to a time, "" for none   ARGV[5] that time in ms from now
-- ARGV[6] "1" if the surviving session has given the second factor   ARGV[7] and following: fields and values, "" to delete
-- Answers 1, or 0 if there is no such user, or the checked field has another value
-- @include clock
local epoch, field, expected, moment, inMs, isCoded = unpack(ARGV)
local before, factor = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'factor'))
if not before then return 0 end
if field ~= '' and redis.call('HGET', KEYS[1], field) ~= expected then return 0 end
for place = 7, #ARGV, 2 do
  if ARGV[place + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[place])
  else
    redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1])
  end
end
if moment ~= '' then redis.call('HSET', KEYS[1], moment, nowMs() + inMs) end
if epoch == '' then return 1 end
redis.call('HSET', KEYS[1], 'epoch', epoch)
if KEYS[2] == KEYS[1] then return 1 end
local began, coded = unpack(redis.call('HMGET', KEYS[2], 'epoch', 'coded'))
-- A half session that waits for its code does not become a whole one by this.
if began == before and (coded == '1' or not factor) then
  redis.call('HSET', KEYS[2], 'epoch', epoch)
  if isCoded == '1' then redis.call('HSET', KEYS[2], 'coded', '1') end
end
return 1

-- @script set-roles
-- Gives a user other roles, which ends all the user's sessions.
-- KEYS[1] the user   KEYS[2] the names of all users
-- ARGV[1] name   ARGV[2] beginning of users' keys   ARGV[3] "1" to allow removing the last admin   ARGV[4] the new epoch   ARGV[5] roles
-- Answers "done" | "unknown" | "last": no admin would be left
-- @include #last-admin
local name, userPrefix, evenLast, epoch, roles = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return 'unknown' end
local staysAdmin = string.find(',' .. roles .. ',', ',admin,', 1, true)
if not staysAdmin and evenLast ~= '1' and isLastAdmin(KEYS[1], KEYS[2], name, userPrefix) then return 'last' end
redis.call('HSET', KEYS[1], 'roles', roles, 'epoch', epoch)
return 'done'

-- @script remove-user
-- Removes a user, and ends all the user's sessions.
-- KEYS[1] the user   KEYS[2] the names of all users   KEYS[3] the user's sessions
-- ARGV[1] name   ARGV[2] beginning of users' keys   ARGV[3] "1" to allow removing the last admin   ARGV[4] beginning of sessions' keys
-- Answers "done" | "unknown" | "last": no admin would be left
-- @include #last-admin
local name, userPrefix, evenLast, sessionPrefix = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return 'unknown' end
local isOnly = redis.call('ZCARD', KEYS[2]) == 1
if evenLast ~= '1' and (isOnly or isLastAdmin(KEYS[1], KEYS[2], name, userPrefix)) then return 'last' end
for _, digest in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('UNLINK', sessionPrefix .. digest) end
redis.call('UNLINK', KEYS[1], KEYS[3])
redis.call('ZREM', KEYS[2], name)
return 'done'

-- @script last-admin
-- Whether this user is the only admin.
local function isLastAdmin(user, users, name, userPrefix)
  local function isAdmin(key) return string.find(',' .. (redis.call('HGET', key, 'roles') or '') .. ',', ',admin,', 1, true) end
  if not isAdmin(user) then return false end
  for _, other in ipairs(redis.call('ZRANGE', users, 0, -1)) do
    if other ~= name and isAdmin(userPrefix .. other) then return false end
  end
  return true
end

-- @script name-for
-- The name by which others see a person of an identity provider: given once, and never to another person, so that nobody
-- becomes another person by changing their name at the provider.
--
-- KEYS[1]  hash of such people: "of <digest>" → name, "by <name>" → digest
-- ARGV[1]  digest of the identity: 64 hexadecimal digits
-- ARGV[2]  the person's name at the provider
-- Answers the name: "<name at the provider> (sso <digits of the digest>)", with as many digits as make it unique.
local known = redis.call('HGET', KEYS[1], 'of ' .. ARGV[1])
if known then return known end

for digits = 6, #ARGV[1] do
  local name = ARGV[2] .. ' (sso ' .. string.sub(ARGV[1], 1, digits) .. ')'
  if redis.call('HSETNX', KEYS[1], 'by ' .. name, ARGV[1]) == 1 then
    redis.call('HSET', KEYS[1], 'of ' .. ARGV[1], name)
    return name
  end
end
