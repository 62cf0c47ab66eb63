-- Included where rows change: the transitions between states. Here are those that workers ask for; rare-moves.lua has those that people ask
-- for and that decisions lead to, and approval-moves.lua those that approvals lead to. A transition is an entry of MOVES:
--   goes: whether the row moves. Answers the new state and the fields to write, as change.lua takes them; or nil if it stays, and the
--     answer of the script in that case.
--   besides: further effects; gets the row as it is now and as it was.
--   said: the script's answer and whether the move was done; gets the row as it is now, nil for none. Without it: 1 if the row moved, or 0.
-- `it` has the arguments of a move, by the names in schema.ts.
-- @include change
-- @include cancelled
-- @include note-cause
-- @include tell
local MOVES = {}

local function isGivenUpRow(row)
  return row.state == 'cancelled' or tonumber(row.gen or 0) < row.portfolio.cancels
end

-- Whether the row's limit was sent: then its outcome counts, even if the row was given up.
local function wasSent(row)
  return isSent(requestOf(row.portfolio.hash, row.key))
end

-- A worker begins a step of a row that waits for this step; any other row is only read. Rows of a paused portfolio stay, and so do all but
-- the first rows while a portfolio sends some first.
MOVES.begin = {
  goes = function(row, it)
    local portfolio = row.portfolio
    if row.state ~= 'queued' or row.step ~= it.step or portfolio.archive then return nil end
    if isGivenUpRow(row) and not wasSent(row) then return 'cancelled', withoutTries(row) end
    local mayBegin = not portfolio.paused
      and (not portfolio.first or redis.call('SISMEMBER', portfolio.hash .. ':first', row.key) == 1)
    if mayBegin then return it.step, withoutTries(row) end
    portfolio.opens = true
  end,
  said = function(row)
    if not row then return {}, false end
    return { row.state, laterOf(row, 'request'), row.company or '', row.documents or '', row.problem or '', row.rev or '0' }, true
  end,
}

-- The state of a row whose approval is not granted: "awaiting" while somebody may say yes; "queued" if it was granted by now, or its limit
-- was sent, since that outcome counts; else "cancelled", and the problem to write with it, if any.
local function stateOfWaiting(row)
  local hash = row.portfolio.hash
  local standing = row.approval and standingOf(hash, row.approval)
  if standing == 'open' or standing == 'waiting' then return 'awaiting' end
  local declined = declinedOf(hash, requestOf(hash, row.key))
  if declined and not wasSent(row) then
    return 'cancelled', cjson.encode({ step = 'limit', message = 'declined ' .. noOf(hash, declined) })
  end
  if not row.approval or standing == 'granted' or wasSent(row) then return 'queued' end
  return 'cancelled'
end

-- Pauses the portfolio if the first responses of a step are all refused with one status: probably every row shares the mistake.
-- Pauses it at any time if `refusals` responses in a row belong to other requests.
local function watchCanary(portfolio, it)
  local answer, field = it.answered, 'canary:' .. it.from
  if answer == '' then return end
  if answer == 'others' then
    noteOf(portfolio, 'others', (portfolio.others or 0) + 1)
    if portfolio.others >= tonumber(it.refusals) then pause(portfolio, it.why, NOW) end
    return
  end
  if it.from == 'limit' and portfolio.others then noteOf(portfolio, 'others', false) end
  if it.refusals == '0' or portfolio[field] == 'ok' then return end
  local refused, count = string.match(portfolio[field] or '', '^(%d+):(%d+)$')
  if answer == 'ok' or refused and refused ~= answer then
    noteOf(portfolio, field, 'ok')
  else
    count = tonumber(count or 0) + 1
    noteOf(portfolio, field, answer .. ':' .. count)
    if count >= tonumber(it.refusals) then pause(portfolio, it.why, NOW) end
  end
end

-- The id under which a cause is kept: the coarser cause's, if the portfolio has as many causes as it may.
local function knownCause(portfolio, failed)
  local cause = failed[1]
  portfolio.causes[cause] = portfolio.causes[cause] or keepCause(portfolio.hash .. ':causes', unpack(failed))
  return portfolio.causes[cause]
end

-- For so long, in ms, a limit that is not plainly approved is listed by the time of its answer. Older entries are removed from the list.
local LATELY = 8 * 24 * 3600 * 1000
local trimmed = {}

local function isPlainYes(row)
  local share = shareIn(row.tally)
  return share.status == 'approved' and share.short ~= '6'
end

-- Puts a row into a list of the account by a time in ms; without a time, or with one of too long ago, takes it off.
local function listLately(row, list, atMs)
  local lately, name = ROOT .. list, row.portfolio.name .. '/' .. row.key
  if not atMs or tonumber(atMs) < NOW - LATELY then return stand(row.portfolio, lately, false, name) end
  if trimmed[list] then return stand(row.portfolio, lately, atMs, name) end
  trimmed[list] = true
  redis.call('ZADD', lately, atMs, name)
  redis.call('ZREMRANGEBYSCORE', lately, '-inf', NOW - LATELY)
  redis.call('PEXPIRE', lately, LATELY)
end

-- Notes when (ms) the service answered for a row, unless it approved with more than nothing granted, and when it granted less than before,
-- or no longer says what it grants.
-- Whether the answer is a no is read from the row later, since the meaning of a status may change (answered-lately.ts). was: the row before
-- a later decision; nil for the first answer.
local function noteAnswer(row, atMs, was)
  if row.state ~= 'done' then return end
  local isYes = isPlainYes(row)
  if not isYes or was and not isPlainYes(was) then listLately(row, ':answered-lately', not isYes and atMs) end
  local before = was and shareIn(was.tally) or {}
  local now = before.granted and shareIn(row.tally)
  -- An approval, in whatever words, of which it is open now whether it holds, or how much of it. What both statuses mean is read later, too.
  local hadSome = before.short ~= '6' and before.short ~= '7'
  local isOpen = now and hadSome and (not isYes and now.status ~= before.status or now.short == '7')
  -- A row stays in the list if its limit is raised again: whether it is below the earlier amount is read from the row, too.
  if now and now.granted and (isOpen or isBelow(now.granted, before.granted)) then listLately(row, ':lowered-lately', atMs) end
end

-- The fields of a call that a later decision may change (decide.lua).
local SAID = { 'status', 'total_limit', 'available_limit', 'decided_at' }

-- Takes the decisions that a limit's call keeps (`kept`, as JSON) into the `record` of a row. `now`: what the call says. Answers entries
-- for the row's history, one for each decision that changes what the row says; a decision that only repeats it at a later time has none.
-- `told`: who lets the row follow, for what the call says by a decision that it no longer keeps.
local function takeDecisions(record, now, kept, told)
  local _, decisions = pcall(cjson.decode, kept or '[]')
  if type(decisions) ~= 'table' then decisions = {} end
  -- A ledger of before 27 November 2026 keeps the last decision alone, without what was said.
  if decisions.by then
    decisions.said = now
    decisions = { decisions }
  end
  local entries = {}
  told.said, decisions[#decisions + 1] = now, told
  for _, entry in ipairs(decisions) do
    local said, before, isNews = {}, {}, false
    if (record.decided_at or '') < entry.said.decided_at then
      for _, name in ipairs(SAID) do
        isNews = isNews or name ~= 'decided_at' and record[name] ~= entry.said[name]
        said[name], before[name], record[name] = entry.said[name], record[name], entry.said[name]
      end
    end
    if isNews then
      entry.is, entry.at, entry.said, entry.before = 'decided', said.decided_at, said, next(before) and before
      entries[#entries + 1] = cjson.encode(entry)
    end
  end
  return entries
end

-- A decision about a limit may come in before the row has the answer of its call. The latest decision then stands in the row, and not the
-- answer, which is older.
local function keepDecision(row, fields, it)
  local call = redis.call('HMGET', requestOf(row.portfolio.hash, row.key), 'id', 'decided', 'record')
  if not call[2] or call[1] ~= fields.limit then return end
  local isSaid, now = pcall(cjson.decode, call[3] or '')
  local isRead, record = pcall(cjson.decode, fields.record or '{}')
  if not (isSaid and isRead and now.decided_at) then return end
  for _, name in ipairs(SAID) do record[name] = nil end
  it.decided = takeDecisions(record, now, call[2], {})
  fields.record = cjson.encode(record)
end

-- A limit that only a results file told of (recover-call.lua) counts for the portfolio once its row, which was open, has it.
local function countRecovered(row, it)
  if row.state ~= 'done' or it.answered ~= '' then return end
  if redis.call('HGET', requestOf(row.portfolio.hash, row.key), 'by') ~= 'a results file' then return end
  add(row.portfolio.hash, 'made:limit', 1)
end

-- The state of the call of a row's step. Not looked up for documents, which may be several.
local function stateOfCall(row)
  local call = row.step == 'limit' and requestOf(row.portfolio.hash, row.key)
    or row.step == 'company' and ROOT .. ':call:company:' .. cjson.decode(laterOf(row, 'request')).buyer
  return call and redis.call('HGET', call, 'state')
end

-- A worker moves a row on from the state in which it saw it, with the results of the step. A late response still moves a held row at that
-- step, and "done" is accepted in any state, since the limit was made. The same holds for a row that was held and waits for an approval of
-- a person's answer, which it no longer needs. If the row has another request by now, nothing is written, except "done".
-- A row that returns to the queue becomes "cancelled" if its portfolio was cancelled in the meantime, since no process would find it
-- otherwise. If its approval is not granted, it returns to the state that fits its approval. A row whose call was decided in the meantime is
-- not held: whoever decided it has looked for held rows already. A refused row is held if an earlier send turns out to be in doubt, and a
-- row that is held already stays so if the refusal is written later.
MOVES.advance = {
  goes = function(row, it)
    local portfolio, state, from, to = row.portfolio, row.state, it.from, it.to
    if state == 'done' or portfolio.archive then return nil end
    if it.revision ~= '' and it.revision ~= (row.rev or '0') and to ~= 'done' then return nil end
    local before = state == 'awaiting' and row.was and cjson.decode(row.was)
    local was = before and before.state or state
    local call = (to == 'held' or to == 'refused' and state ~= from) and stateOfCall(row)
    if to == 'held' and (call == 'made' or call == 'free') then return nil end
    if to == 'refused' and call == 'unknown' then return nil end
    local mayMove = was == 'held' or call == 'unknown' and state == 'refused'
    if to ~= 'done' and state ~= from and not (mayMove and row.step == from) then return nil end
    local fields = withoutTries(row)
    if to == 'queued' or to == 'awaiting' then
      if state ~= from then return nil end
      if to == 'awaiting' then
        local problem
        to, problem = stateOfWaiting(row)
        fields.problem = problem or fields.problem
      end
      if isGivenUpRow(row) and not wasSent(row) then to = 'cancelled' end
    end
    if before then fields.was, fields.answer, fields.approval = false, false, before.approval or false end
    if it.failed ~= '' then fields.cause = knownCause(portfolio, cjson.decode(it.failed)) end
    for _, name in ipairs(BROUGHT) do
      if it[name] ~= '' then fields[name] = it[name] end
    end
    if to == 'done' then keepDecision(row, fields, it) end
    local isKnown = not it.decided and it.granted ~= '?' and it.available ~= '?' and it.status ~= '?'
    return to, fields, to == 'done' and isKnown and it or nil
  end,
  besides = function(row, it)
    if it.told ~= '' then tell(row.hash, NOW, it.told) end
    for _, entry in ipairs(it.decided or {}) do tell(row.hash, NOW, entry) end
    watchCanary(row.portfolio, it)
    countRecovered(row, it)
    noteAnswer(row, NOW)
  end,
  said = function(row, it)
    return row and row.state or '', row ~= nil and row.state == it.to
  end,
}

local function carryOut(name, portfolio, key, it)
  local move, row = MOVES[name], rowOf(portfolio, key)
  local to, fields, given
  if row then to, fields, given = move.goes(row, it) end
  if row and not to and fields ~= nil then return fields, false end
  local now = row
  if to then
    fields.state = to
    now = change(row, fields, given)
    if move.besides then move.besides(now, it, row) end
  end
  if not move.said then return to and 1 or 0, to ~= nil, now end
  local answer, isDone = move.said(now, it)
  return answer, isDone, now
end
