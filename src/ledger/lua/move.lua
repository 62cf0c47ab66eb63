-- Included by scripts that change rows: the time, and when a portfolio is finished. A portfolio's counts are the sizes of the sets of its
-- rows by state, so they always add up.
-- The time in ms as text, for writing: Redis is slow at formatting numbers.
local function nowText()
  local time = redis.call('TIME')
  return time[1] .. string.sub('00000' .. time[2], -6, -4)
end

local function nowMs()
  return tonumber(nowText())
end

local function isOpen(state)
  return state == 'queued' or state == 'company' or state == 'documents' or state == 'limit'
end

-- A portfolio is finished when the last import was read to its end, no other is under way, and no row is open or awaits an approval. That
-- time is kept. `hasOpen`: a row is known to be open. `known`: the fields `importing` and `finished`, if already read.
local function noteFinish(portfolio, now, hasOpen, known)
  known = known or redis.call('HMGET', portfolio, 'importing', 'finished')
  hasOpen = hasOpen or known[1] ~= false
  local function isLeft(set) return redis.call('ZCARD', portfolio .. set) > 0 end
  hasOpen = hasOpen or isLeft(':state:queued') or isLeft(':state:limit') or isLeft(':state:company')
  hasOpen = hasOpen or isLeft(':state:documents') or isLeft(':imports') or isLeft(':state:awaiting')
  if hasOpen and known[2] then
    redis.call('HDEL', portfolio, 'finished')
  elseif not hasOpen and not known[2] then
    redis.call('HSET', portfolio, 'finished', now)
  end
end
