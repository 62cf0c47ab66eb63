-- A worker takes up a row at one step. A row that waits for this very step enters it; any other is only read, and the worker sees from
-- its state that there is nothing to do. So no job sends a row again that has ended, however often it runs: an operator puts the row
-- back (requeue.lua). A job left over from before the row was renewed comes for another step, which would lack what the first one brings.
-- A row that was cancelled meanwhile enters nothing.
-- A row of a paused portfolio, or of one that sends others first, stays where it is: its job ends, and the row gets another
-- one when the portfolio goes on.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key   ARGV[2] step: "company", "documents" or "limit"
-- Answers { state now, request, company id, document ids, problem, revision }, or {} when there is no such row.
local portfolio, row, limit = unpack(KEYS)
local key, step = unpack(ARGV)
local found = redis.call('HMGET', row, 'state', 'request', 'company', 'documents', 'problem', 'line', 'step', 'rev',
  'tally', 'gen')
local state, request, company, documents, problem = unpack(found, 1, 5)
if not state then return {} end
-- There is nothing to do, as for every step behind the first.
if state ~= 'queued' or found[7] ~= step then
  return { state, request, company or '', documents or '', problem or '', found[8] or '0' }
end

-- @include move
-- Rows of a paused portfolio stay. While a portfolio sends some rows first (`first` of them), only rows of that set do; the supplier of
-- the portfolio goes before all.
local function mayBegin(portfolio, key, paused, first)
  if paused then return false end
  return not first or redis.call('SISMEMBER', portfolio .. ':first', key) == 1
end
-- @include add-plain
-- @include plain-tally
-- Whether somebody has cancelled what nobody sent.
local function wasCancelled(cancels)
  if tonumber(found[10] or 0) >= tonumber(cancels or 0) then return false end
-- @include cancelled
  return not isSent(limit)
end

local known = redis.call('HMGET', portfolio, 'importing', 'finished', 'paused', 'first', 'cancels', 'archive')
-- Nothing of an archived portfolio goes on.
if known[6] then return { state, request, company or '', documents or '', problem or '', found[8] or '0' } end
local to = step
if wasCancelled(known[5]) then
  to = 'cancelled'
elseif not mayBegin(portfolio, key, known[3], known[4]) then
  to = state
end
local now = nowText()
if to ~= state then
  local tally = tallyMove(portfolio, found[9], state, to)
  moveRow(portfolio, row, key, state, to, found[6], now, tally and { 'tally', tally })
  forgetTries(row)
  if not tally then
-- @include tally
    tallyRow(portfolio, row, key)
  end
  problem = false
end
noteFinish(portfolio, now, isOpen(to), known)
return { to, request, company or '', documents or '', problem or '', found[8] or '0' }
