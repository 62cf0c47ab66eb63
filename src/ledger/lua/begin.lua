-- A worker takes up a row at one step. A row that waits for this very step, or was refused at it and is sent again by
-- an operator, enters the step; any other is only read, and the worker sees from its state that there is nothing to do.
-- A job left over from before the row was renewed comes for another step, which would lack what the first one brings.
-- A row that was cancelled meanwhile enters nothing; one that had been refused stays refused.
-- A row of a paused portfolio stays where it is: its job ends, and the row gets another one when the portfolio goes on.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key   ARGV[2] step: "company", "documents" or "limit"
-- Answers { state now, request, company id, document ids, problem, revision }, or {} when there is no such row.
-- @include move
-- @include cancelled
local portfolio, row, limit = unpack(KEYS)
local key, step = unpack(ARGV)
local found = redis.call('HMGET', row, 'state', 'request', 'company', 'documents', 'problem', 'line', 'step', 'rev')
local state, request, company, documents, problem = unpack(found, 1, 5)
if not state then return {} end
if (state == 'queued' or state == 'refused') and found[7] == step then
  local to = step
  if isCancelled(portfolio, row) and not isSent(limit) then
    to = state == 'queued' and 'cancelled' or state
  elseif redis.call('HEXISTS', portfolio, 'paused') == 1 then
    to = state
  end
  local now = nowMs()
  moveRow(portfolio, row, key, state, to, found[6], now)
  if to ~= state then
    forgetTries(row)
    problem = false
  end
  noteFinish(portfolio, now)
  state = to
end
return { state, request, company or '', documents or '', problem or '', found[8] or '0' }
