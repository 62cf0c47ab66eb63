-- Who uses this data folder's own Redis. The last to leave ends it, and from that moment nobody joins it any more.
--
-- KEYS[1]  set: the stamps of those who use it
-- KEYS[2]  hash: who is ending it (by), and which start of the server that was about (run); stale after a new start
-- ARGV[1]  'join' or 'leave'
-- ARGV[2]  stamp of the caller
-- ARGV[3]  run id of this start of the server, as INFO says it
-- ARGV[4…] stamps of processes that are known to be dead
--
-- Answers join with '' for joined, or with the stamp of who is ending it;
-- and leave with '' for others are left, or with the caller's stamp: it must end the server now.
-- Both may be repeated by the same caller.
local users, ending = KEYS[1], KEYS[2]
local verb, caller, run = ARGV[1], ARGV[2], ARGV[3]

local dead = {}
for i = 4, #ARGV do
  dead[ARGV[i]] = true
  redis.call('SREM', users, ARGV[i])
end

if verb == 'join' then
  local by = redis.call('HGET', ending, 'by')
  if by and redis.call('HGET', ending, 'run') == run and not dead[by] then
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
redis.call('HSET', ending, 'by', caller, 'run', run)
return caller
