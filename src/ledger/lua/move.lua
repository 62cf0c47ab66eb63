-- Included by the scripts that change a row's state: the row, the index of its state and what hangs on both, at once.
-- The counts of a portfolio are the sizes of these indexes, so they add up by construction.
-- The time in ms as text, where it is only written: Redis is slow at making text of numbers.
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

-- The portfolio is finished when the last import came to its end, no other runs and no row is open or awaits an approval; the
-- moment is kept for the report. `hasOpen` where a row is known to be open, `known` is its `importing` and `finished` where they were read.
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

-- `row` is the row's hash, `key` its name within the portfolio.
local function moveRow(portfolio, row, key, from, to, line, now)
  if from == to then return end
  if from then redis.call('ZREM', portfolio .. ':state:' .. from, key) end
  redis.call('ZADD', portfolio .. ':state:' .. to, line, key)
  redis.call('HSET', row, 'state', to, 'updated', now)
  if to == 'refused' or to == 'cancelled' then redis.call('HDEL', row, 'refusal') end
  if from == 'held' or to == 'held' then
-- @include held
    noteHeld(portfolio, key, from, to, now)
  end
end

-- Why the row ended or waited before, and how often the service put it off, say nothing of its next step.
local function forgetTries(row)
  redis.call('HDEL', row, 'problem', 'cause', 'putOffs', 'passed', 'overtaken', 'countedAt')
end
