-- Moves a row on from where a worker saw it, and writes down what the step brought.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key   ARGV[2] state the worker saw   ARGV[3] state it goes to   ARGV[4] revision it saw, or ""
-- ARGV[5] status to count, or ""
-- ARGV[6] what the canary hears: "ok", the status of a refusal, or "" for no answer of the service
-- ARGV[7] refusals that pause the portfolio, 0 for never   ARGV[8] why it is paused then
-- ARGV[9…] field, value, field, value … to write
-- Answers the state the row is in now: ARGV[3], or another when somebody else had moved it meanwhile.
-- A held row takes a late answer at the step that it is held at, and "done" is believed in any state: the limit was
-- made, whatever we thought. Of a row that has other words by now nothing is written. One that is put back ("queued")
-- since its portfolio is paused, and was given up at that moment, is "cancelled": nobody else would come by it.
-- @include move
-- @include cancelled
-- The first answers of a step, all refused with one status, speak of a mistake that every row shares.
local function hearCanary(portfolio, field, heard, limit, why)
  if heard == '' or limit == 0 then return end
  local known = redis.call('HGET', portfolio, field)
  if known == 'ok' then return end
  local status, count = string.match(known or '', '^(%d+):(%d+)$')
  if heard == 'ok' or (status and status ~= heard) then
    redis.call('HSET', portfolio, field, 'ok')
    return
  end
  count = tonumber(count or 0) + 1
  redis.call('HSET', portfolio, field, heard .. ':' .. count)
  if count >= limit then redis.call('HSETNX', portfolio, 'paused', why) end
end

local row = redis.call('HMGET', KEYS[2], 'state', 'line', 'step', 'rev')
local state = row[1]
if not state then return '' end
if ARGV[4] ~= '' and ARGV[4] ~= (row[4] or '0') and ARGV[3] ~= 'done' then return state end
local awaited = state == ARGV[2] or (state == 'held' and row[3] == ARGV[2])
if not awaited and ARGV[3] ~= 'done' then return state end
if state == 'done' then return state end
local to = ARGV[3]
if to == 'queued' then
  if state ~= ARGV[2] then return state end
  if isCancelled(KEYS[1], KEYS[2]) and not isSent(KEYS[3]) then to = 'cancelled' end
end
local now = nowMs()
moveRow(KEYS[1], KEYS[2], ARGV[1], state, to, row[2], now)
redis.call('HDEL', KEYS[2], 'problem', 'putOffs', 'passed', 'overtaken', 'countedAt')
if #ARGV > 8 then redis.call('HSET', KEYS[2], unpack(ARGV, 9)) end
hearCanary(KEYS[1], 'canary:' .. ARGV[2], ARGV[6], tonumber(ARGV[7]), ARGV[8])
if ARGV[5] ~= '' then redis.call('HINCRBY', KEYS[1], 'status:' .. ARGV[5], 1) end
noteFinish(KEYS[1], now)
return to
