-- The users of a data folder's own Redis. The last one to leave ends the server, and from then on nobody can join it.
--
-- KEYS[1]  set: the users' connections, each with the server's run id
-- KEYS[2]  hash: the user that is ending the server (by)
-- ARGV[1]  'join' or 'leave'
-- ARGV[2]  the caller's connection
-- ARGV[3…] members of both keys that are gone
--
-- Answers to join '' if joined, or the user that is ending the server;
-- to leave '' if others remain, or the caller itself, which must end the server now.
-- The same caller may repeat both.
local users, ending = KEYS[1], KEYS[2]
local verb, caller = ARGV[1], ARGV[2]

local gone = {}
for i = 3, #ARGV do
  gone[ARGV[i]] = true
  redis.call('SREM', users, ARGV[i])
end

if verb == 'join' then
  local by = redis.call('HGET', ending, 'by')
  if by and not gone[by] then
    return by
  end
  redis.call('DEL', ending)
  redis.call('SADD', users, caller)
  return ''
end

redis.call('SREM', users, caller)
if redis.call('SCARD', users) > 0 then
  return ''
end
redis.call('HSET', ending, 'by', caller)
return caller
