-- Included by the scripts that change a row's state: the row, the index of its state and what hangs on both, at once.
-- The counts of a portfolio are the sizes of these indexes, so they add up by construction.
local OPEN = { 'queued', 'company', 'documents', 'limit' }

local function nowMs()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The portfolio is finished when the last import came to its end, no other runs and no row is open; the moment is kept
-- for the report.
local function noteFinish(portfolio, now)
  local open = redis.call('HEXISTS', portfolio, 'importing')
  if open == 0 then open = redis.call('ZCARD', portfolio .. ':imports') end
  for _, state in ipairs(OPEN) do
    if open == 0 then open = redis.call('ZCARD', portfolio .. ':state:' .. state) end
  end
  if open == 0 then
    redis.call('HSETNX', portfolio, 'finished', now)
  else
    redis.call('HDEL', portfolio, 'finished')
  end
end

-- `row` is the row's hash, `key` its name within the portfolio.
local function moveRow(portfolio, row, key, from, to, line, now)
  if from == to then return end
  if from then redis.call('ZREM', portfolio .. ':state:' .. from, key) end
  redis.call('ZADD', portfolio .. ':state:' .. to, line, key)
  redis.call('HSET', row, 'state', to, 'updated', now)
  if to == 'company' or to == 'documents' or to == 'limit' then redis.call('HSET', row, 'step', to) end
end

-- Why the row ended or waited before, and how often the service put it off, say nothing of its next step.
local function forgetTries(row)
  redis.call('HDEL', row, 'problem', 'putOffs', 'passed', 'overtaken', 'countedAt')
end
