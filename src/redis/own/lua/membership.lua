-- Who uses this data folder's own Redis. The last to leave ends it, and from that moment nobody joins it any more.
--
-- KEYS[1]  set: the connections of those who use it, each with the run of the server that it belongs to
-- KEYS[2]  hash: the one that is ending it (by)
-- ARGV[1]  'join' or 'leave'
-- ARGV[2]  the caller's connection
-- ARGV[3…] those of both that are gone
--
-- Answers join with '' for joined, or with the connection that is ending it;
-- and leave with '' for others are left, or with the caller's own: it must end the server now.
-- Both may be repeated by the same caller.
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
