-- A worker takes up a row at one step. A row that waits for this very step, or was refused at it and is sent again by
-- an operator, enters the step; any other is only read, and the worker sees from its state that there is nothing to do.
-- A job left over from before the row was renewed comes for another step, which would lack what the first one brings.
-- A row of a paused portfolio stays where it is: its job ends, and the row gets another one when the portfolio goes on.
-- KEYS[1] the portfolio   KEYS[2] the row
-- ARGV[1] row key   ARGV[2] step: "company", "documents" or "limit"
-- Answers { state now, request, company id, document ids, problem }, or {} when there is no such row.
-- @include move
local row = redis.call('HMGET', KEYS[2], 'state', 'request', 'company', 'documents', 'problem', 'line', 'step')
local state = row[1]
if not state then return {} end
local waits = state == 'queued' or state == 'refused'
if waits and row[7] == ARGV[2] and redis.call('HEXISTS', KEYS[1], 'paused') == 0 then
  local now = nowMs()
  moveRow(KEYS[1], KEYS[2], ARGV[1], state, ARGV[2], row[6], now)
  redis.call('HDEL', KEYS[2], 'problem')
  noteFinish(KEYS[1], now)
  state, row[5] = ARGV[2], false
end
return { state, row[2], row[3] or '', row[4] or '', row[5] or '' }
