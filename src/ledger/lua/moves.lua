-- Included where rows change: how a row goes from state to state. A transition is a line of MOVES:
--   goes: may it go, and where? Answers the state and what is written beside it, as change.lua takes them; or nil where it stays, and
--     what is answered then.
--   besides: what else that means, told of the row as it is now and as it was.
--   said: what is answered, of the row as it is now, nil for none; and whether it is done. Left out, it is 1 for a row that went, or 0.
-- What is told of a move is in `it`, by the names of schema.ts.
-- @include change
-- @include cancelled
-- @include note-cause
-- @include tell
local MOVES = {}

local function isGivenUpRow(row)
  return row.state == 'cancelled' or tonumber(row.gen or 0) < row.portfolio.cancels
end

-- A limit that was sent is answered, and its outcome counts, whoever gave the row up.
local function wasSent(row)
  return isSent(requestOf(row.portfolio.hash, row.key))
end

-- A worker takes up a row that waits for this very step; any other is only read. Nothing of a paused portfolio goes on, nor of one that
-- sends others first.
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

-- "awaiting", as long as somebody may say yes; what was granted meanwhile goes on, and what never will be is given up, unless its limit was
-- sent: then its outcome counts. Behind it the problem that the row has then, where it has one.
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

-- The first answers of a step, all refused with one status, speak of a mistake that every row shares.
-- So do answers to somebody else's request, however late they begin: so many in a row.
local function watchCanary(portfolio, it)
  local answer, field = it.answered, 'canary:' .. it.from
  if answer == '' then return end
  if answer == 'others' then
    noteOf(portfolio, 'others', (portfolio.others or 0) + 1)
    if portfolio.others >= tonumber(it.refusals) then pause(portfolio, it.why) end
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
    if count >= tonumber(it.refusals) then pause(portfolio, it.why) end
  end
end

-- A portfolio that knows as many causes as it may takes the coarser one.
local function knownCause(portfolio, failed)
  local cause = failed[1]
  portfolio.causes[cause] = portfolio.causes[cause] or keepCause(portfolio.hash .. ':causes', unpack(failed))
  return portfolio.causes[cause]
end

-- A worker moves a row on from where it saw it, and writes down what the step brought. A held row takes a late answer at the step that it
-- is held at, and "done" is believed in any state: the limit was made, whatever we thought. So does one that was held until somebody said
-- what became of its call, which waits for an approval and needs none any more. Of a row that has other words by now nothing is written.
-- One that is put back ("queued") since its portfolio is paused, and was cancelled at that moment, is "cancelled": nobody else would come
-- by it. One whose approval is not granted is put back as that stands.
MOVES.advance = {
  goes = function(row, it)
    local portfolio, state, from, to = row.portfolio, row.state, it.from, it.to
    if state == 'done' or portfolio.archive then return nil end
    if it.revision ~= '' and it.revision ~= (row.rev or '0') and to ~= 'done' then return nil end
    local before = state == 'awaiting' and row.was and cjson.decode(row.was)
    local was = before and before.state or state
    if to ~= 'done' and state ~= from and not (was == 'held' and row.step == from) then return nil end
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
    local isKnown = it.granted ~= '?' and it.available ~= '?' and it.status ~= '?'
    return to, fields, to == 'done' and isKnown and it or nil
  end,
  besides = function(row, it)
    if it.told ~= '' then tell(row.hash, NOW, it.told) end
    watchCanary(row.portfolio, it)
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
