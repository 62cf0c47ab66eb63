-- Included where something new would begin. Answers bytes in use and the limit, if Redis has a memory limit and uses 95 percent of it: the
-- rest is for what is under way. Answers nothing if there is room, or Redis does not say (src/redis-memory/memory.ts).
local function nearlyFull()
  local info = redis.pcall('INFO', 'memory')
  if type(info) ~= 'string' then return nil end
  local used, most = tonumber(string.match(info, '\nused_memory:(%d+)')), tonumber(string.match(info, '\nmaxmemory:(%d+)'))
  if used and most and most > 0 and used >= 0.95 * most then return used, most end
  return nil
end

-- The error for bringing something in when Redis is nearly full; nil if there is room.
local function fullError()
  if not nearlyFull() then return nil end
  return redis.error_reply('OOM Redis is nearly full: raise its maxmemory, or archive what is finished (npx limitline archive NAME)')
end
