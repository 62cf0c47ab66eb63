-- Included by trip.lua: what begin.lua does for a row that waits for its step and may begin it. Values: portfolio, row, row key, step.
-- Answers what begin.lua does, or 0.
local function plainBegin(portfolio, row, key, step)
  local found = redis.call('HMGET', row, 'state', 'request', 'company', 'documents', 'problem', 'rev', 'step', 'line', 'tally', 'gen',
    'cause', 'putOffs', 'countedAt')
  local state = found[1]
  if not state then return {} end
  local answer = { state, found[2], found[3] or '', found[4] or '', found[5] or '', found[6] or '0' }
  if state ~= 'queued' or found[7] ~= step then return answer end
  local known = portfolioOf(portfolio)
  if known.archive or known.paused or known.first or known.finished then return 0 end
  -- Without its line it would keep all others of this moment out of the set of their state.
  if tonumber(found[10] or 0) < known.cancels or not tonumber(found[8]) then return 0 end
  local tally = tallyMove(portfolio, found[9], 'queued', step)
  if not tally then return 0 end
  redis.call('HSET', row, 'tally', tally, 'state', step, 'updated', now, 'step', step)
  keepPlain()
  if found[5] or found[11] or found[12] or found[13] then forgetTries(row) end
  takeFrom(portfolio .. ':state:queued', key)
  putInto(portfolio .. ':state:' .. step, found[8], key)
  answer[1], answer[5] = step, ''
  return answer
end
