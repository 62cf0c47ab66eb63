-- A worker takes up a row at one step. A row that waits for this very step, or was refused at it and is sent again by
-- an operator, enters the step; any other is only read, and the worker sees from its state that there is nothing to do.
-- A job left over from before the row was renewed comes for another step, which would lack what the first one brings.
-- A row that was given up meanwhile is told so; one that had been refused stays refused.
-- A row of a paused portfolio stays where it is: its job ends, and the row gets another one when the portfolio goes on.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key   ARGV[2] step: "company", "documents" or "limit"
-- Answers { state now, request, company id, document ids, problem, revision }, or {} when there is no such row.
-- @include move
-- @include cancelled
local row = redis.call('HMGET', KEYS[2], 'state', 'request', 'company', 'documents', 'problem', 'line', 'step', 'rev')
local state = row[1]
if not state then return {} end
if (state == 'queued' or state == 'refused') and row[7] == ARGV[2] then
  local to = ARGV[2]
  if isCancelled(KEYS[1], KEYS[2]) and not isSent(KEYS[3]) then
    to = state == 'queued' and 'cancelled' or state
  elseif redis.call('HEXISTS', KEYS[1], 'paused') == 1 then
    to = state
  end
  local now = nowMs()
  moveRow(KEYS[1], KEYS[2], ARGV[1], state, to, row[6], now)
  if to ~= state then
    redis.call('HDEL', KEYS[2], 'problem', 'putOffs', 'passed', 'overtaken', 'countedAt')
    row[5] = false
  end
  noteFinish(KEYS[1], now)
  state = to
end
return { state, row[2], row[3] or '', row[4] or '', row[5] or '', row[8] or '0' }
