-- Included where something new would begin. Answers bytes in use and the most that there may be, where Redis has a limit to its memory and
-- 95 percent of it are in use: what is left is for what is under way. Nothing where there is room, or Redis does not say it (src/redis-memory/memory.ts).
local function nearlyFull()
  local info = redis.pcall('INFO', 'memory')
  if type(info) ~= 'string' then return nil end
  local used, most = tonumber(string.match(info, '\nused_memory:(%d+)')), tonumber(string.match(info, '\nmaxmemory:(%d+)'))
  if used and most and most > 0 and used >= 0.95 * most then return used, most end
  return nil
end

-- What is answered to somebody who would bring something in then; nil where there is room.
local function fullError()
  if not nearlyFull() then return nil end
  return redis.error_reply('OOM Redis is nearly full: raise its maxmemory, or archive what is finished (npx limitline archive NAME)')
end
