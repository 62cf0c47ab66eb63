-- Moves a row on from where a worker saw it, and writes down what the step brought.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key   ARGV[2] state the worker saw   ARGV[3] state it goes to   ARGV[4] revision it saw, or ""
-- ARGV[5] status to count, or ""
-- ARGV[6] the service's answer, for the canary: "ok", the status of a refusal, or "" where it did not answer
-- ARGV[7] refusals that pause the portfolio, 0 for never   ARGV[8] why it is paused then
-- ARGV[9…] field, value, field, value … to write
-- Answers the state the row is in now: ARGV[3], or another when somebody else had moved it meanwhile.
-- A held row takes a late answer at the step that it is held at, and "done" is believed in any state: the limit was
-- made, whatever we thought. Of a row that has other words by now nothing is written. One that is put back ("queued")
-- since its portfolio is paused, and was cancelled at that moment, is "cancelled": nobody else would come by it.
-- @include move
-- @include cancelled
-- The first answers of a step, all refused with one status, speak of a mistake that every row shares.
local function watchCanary(portfolio, field, answer, limit, why)
  if answer == '' or limit == 0 then return end
  local known = redis.call('HGET', portfolio, field)
  if known == 'ok' then return end
  local status, count = string.match(known or '', '^(%d+):(%d+)$')
  if answer == 'ok' or (status and status ~= answer) then
    redis.call('HSET', portfolio, field, 'ok')
    return
  end
  count = tonumber(count or 0) + 1
  redis.call('HSET', portfolio, field, answer .. ':' .. count)
  if count >= limit then redis.call('HSETNX', portfolio, 'paused', why) end
end

local portfolio, row, limit = unpack(KEYS)
local key, from, to, revision, status, answer, refusals, why = unpack(ARGV, 1, 8)
local found = redis.call('HMGET', row, 'state', 'line', 'step', 'rev')
local state = found[1]
if not state then return '' end
if revision ~= '' and revision ~= (found[4] or '0') and to ~= 'done' then return state end
local awaited = state == from or (state == 'held' and found[3] == from)
if not awaited and to ~= 'done' then return state end
if state == 'done' then return state end
if to == 'queued' then
  if state ~= from then return state end
  if isCancelled(portfolio, row) and not isSent(limit) then to = 'cancelled' end
end
local now = nowMs()
moveRow(portfolio, row, key, state, to, found[2], now)
forgetTries(row)
if #ARGV > 8 then redis.call('HSET', row, unpack(ARGV, 9)) end
watchCanary(portfolio, 'canary:' .. from, answer, tonumber(refusals), why)
if status ~= '' then redis.call('HINCRBY', portfolio, 'status:' .. status, 1) end
noteFinish(portfolio, now)
return to
