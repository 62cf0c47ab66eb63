-- Moves a row on from where a worker saw it, and writes down what the step brought.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key   ARGV[2] state the worker saw   ARGV[3] state it goes to   ARGV[4] revision it saw, or ""
-- ARGV[5] the service's answer, for the canary: "ok", the status of a refusal, "others" where it answered somebody else's request, or
--   "" where it did not answer   ARGV[6] such refusals, or such answers, that pause the portfolio; 0 for never   ARGV[7] why it is paused then
-- ARGV[8] id of the cause for which it fails, or ""   ARGV[9] what is known of that cause, as JSON
-- ARGV[10, 11] the same of the coarser cause that it has where the portfolio knows as many as it may
-- ARGV[12] what is told to the row's story, as JSON, or ""
-- ARGV[13] granted limit, ARGV[14] available limit, ARGV[15] status: as the service answered them, or "?" where that is to be
-- looked up in the record   ARGV[16…] field, value, field, value … to write
-- Answers the state the row is in now: ARGV[3], or another when somebody else had moved it meanwhile.
-- A held row takes a late answer at the step that it is held at, and "done" is believed in any state: the limit was
-- made, whatever we thought. So does one that was held until somebody said what became of its call, which waits for an approval and
-- needs none any more. Of a row that has other words by now nothing is written. One that is put back ("queued")
-- since its portfolio is paused, and was cancelled at that moment, is "cancelled": nobody else would come by it. One whose
-- approval is not granted is put back as that stands.
-- @include move
-- @include add-plain
-- @include plain-tally
local portfolio, row, limit = unpack(KEYS)
local key, from, to, revision, answer, refusals, why = unpack(ARGV, 1, 7)
local failsBy, told, granted, available, status = ARGV[8], unpack(ARGV, 12, 15)
local found = redis.call('HMGET', row, 'state', 'line', 'step', 'rev', 'tally', 'company', 'documents', 'limit')
local state, problem = found[1], nil
if not state then return '' end
if revision ~= '' and revision ~= (found[4] or '0') and to ~= 'done' then return state end
local was = state
if state == 'awaiting' then
-- @include waiting
  local before = wasOf(row)
  was = before and before.state or state
end
local awaited = state == from or (was == 'held' and found[3] == from)
if not awaited and to ~= 'done' then return state end
if state == 'done' then return state end
if to == 'queued' or to == 'awaiting' then
  if state ~= from then return state end
-- @include cancelled
-- @include approvals
  -- Why nobody sends a request that a person said no to, as the problem of its row.
  local function declinedProblem(portfolio, id)
    return cjson.encode({ step = 'limit', message = 'declined ' .. noOf(portfolio, id) })
  end

  -- "awaiting", as long as somebody may say yes; what was granted meanwhile goes on, and what never will be is given up, unless its
  -- limit was sent: then its outcome counts. Behind it the problem that the row has then, where it has one.
  local function stateOfWaiting(portfolio, row, limit)
    local approval = redis.call('HGET', row, 'approval')
    local standing = approval and standingOf(portfolio, approval)
    if standing == 'open' or standing == 'waiting' then return 'awaiting' end
    local declined = declinedOf(portfolio, limit)
    if declined and not isSent(limit) then return 'cancelled', declinedProblem(portfolio, declined) end
    if not approval or standing == 'granted' or isSent(limit) then return 'queued' end
    return 'cancelled'
  end
  if to == 'awaiting' then to, problem = stateOfWaiting(portfolio, row, limit) end
  if isCancelled(portfolio, row) and not isSent(limit) then to = 'cancelled' end
end

local now, known = nowText(), redis.call('HMGET', portfolio, 'importing', 'finished', 'canary:' .. from, 'archive', 'others')
-- The call knows what was made, and so does its buyer's list.
if known[4] then return state end

-- What it is searched by that it has not had, ids with "|" between them; nil where something is put in the place of what it had.
local ids = failsBy == '' and told == '' and '' or nil
for at = 16, #ARGV, 2 do
  local name, id = ARGV[at], ARGV[at + 1]
  local had = name == 'company' and found[6] or name == 'documents' and found[7] or name == 'limit' and found[8] or ''
  if had ~= '' and had ~= id then
    ids = nil
  elseif ids and had == '' and (name == 'company' or name == 'documents' or name == 'limit') then
    ids = ids == '' and id or ids .. '|' .. id
  end
end
local tally = ids and tallyMove(portfolio, found[5], state, to, granted, available, status)
if tally then
  -- As it goes for most rows: few commands, and nothing is looked at again.
  moveRow(portfolio, row, key, state, to, found[2], now, { 'tally', tally, unpack(ARGV, 16) })
  forgetTries(row)
  if ids ~= '' or status ~= '' then
-- @include index-entries
    local level = levelOf(portfolio)
    for id in string.gmatch(level and ids or '', '[^|]+') do addId(portfolio, digestOfId(id), key, level) end
    if level and status ~= '' then
-- @include columns
      local amount, column = amountOf(tally), math.floor((tonumber(found[2]) or 0) / LINES_OF_COLUMN)
      local size, ofStatus = sizeOf(amount), columnsOfStatus(portfolio, status)
      redis.call('ZREM', columnKey(portfolio, size, column, ''), key)
      putInColumn(portfolio, key, columnKey(portfolio, size, column, ofStatus), size .. ' ' .. ofStatus, amount)
    end
  end
else
-- @include tally
-- @include index-row
-- @include note-cause
-- @include tell
  -- A failure brings nothing that a row is searched by.
  local place = #ARGV > 15 and failsBy == '' and levelOf(portfolio) and placeOf(row)
  moveRow(portfolio, row, key, state, to, found[2], now)
  if state == 'awaiting' then
-- @include waiting
    local before = wasOf(row)
    if before then bindRow(row, before.approval or '') end
  end
  forgetTries(row)
  if problem then redis.call('HSET', row, 'problem', problem) end
  if failsBy ~= '' then noteCause(portfolio, row, unpack(ARGV, 8, 11)) end
  if #ARGV > 15 then redis.call('HSET', row, unpack(ARGV, 16)) end
  if told ~= '' then tell(row, now, told) end
  tallyRow(portfolio, row, key)
  if place then moveInIndexes(portfolio, key, place, placeOf(row)) end
end

-- The first answers of a step, all refused with one status, speak of a mistake that every row shares.
-- So do answers to somebody else's request, however late they begin: so many in a row.
if answer == 'others' then
  if redis.call('HINCRBY', portfolio, 'others', 1) >= tonumber(refusals) then redis.call('HSETNX', portfolio, 'paused', why) end
elseif answer ~= '' and from == 'limit' and known[5] then
  redis.call('HDEL', portfolio, 'others')
end
if answer ~= '' and answer ~= 'others' and refusals ~= '0' and known[3] ~= 'ok' then
  local field = 'canary:' .. from
  local refused, count = string.match(known[3] or '', '^(%d+):(%d+)$')
  if answer == 'ok' or (refused and refused ~= answer) then
    redis.call('HSET', portfolio, field, 'ok')
  else
    count = tonumber(count or 0) + 1
    redis.call('HSET', portfolio, field, answer .. ':' .. count)
    if count >= tonumber(refusals) then redis.call('HSETNX', portfolio, 'paused', why) end
  end
end
noteFinish(portfolio, now, isOpen(to), known)
return to
