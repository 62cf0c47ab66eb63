-- Included by batch.lua: claims the one call that makes a thing. Nothing may be sent unless the answer is "go".
-- Arguments:
--   owner        one attempt, "<process>/<n>"
--   revision     of the row, "" for a supplier, which has no row
--   words        digest of what is sent; `asked`: digest of what the line asked for, or ""
--   supplier     a supplier's fields as JSON, which must be those of the portfolio's supplier; else ""
--   mark, link   number of the mark under which the call leaves, or "", and that mark
--   onUnknown    "hold", "resend" or "repeat": the reaction to an earlier unknown outcome
--   header       the idempotency header of this process in lower case, or ""
--   withoutIt    "hold" or "resend": the reaction to an earlier unknown outcome if that send left without this header
--   sends, withinMs   the most sends after an unknown outcome, and the time limit for them
--   vanishedAfterMs   a process without a heartbeat for this long has vanished; `disputedAfterMs`: an older claim is disputed
-- Answers { "go", first } | { "made", id, row, record } | { "other", id } (made, for a line that asked for something else)
--         | { "busy" } | { "later", ms } | { "unknown", heard, at, row } | { "awaiting" } | { "paused" } | { "cancelled" } | { "changed" }
--         | { "refused", status, what the service said } (another job of the row got this refusal and is about to end the row)
--         | { "unmarked" } (Redis is older than what was sent),
-- where "at" is when the call was sent, in ms; "row" is the row for which it was sent, if that is another row that sent something else, or "";
-- and "first" is the owner of the first send of this content whose outcome is open or that made nothing: the same for every repetition.
-- Idempotent for its owner, who asks again only before sending: the reply was lost or came too late. Decisions made in the meantime
-- hold for it too.
-- Without a granted approval, or if a person declined the request, nothing is sent ("awaiting"), whatever the row's state and whoever
-- asks; nor for a row that is not at the step of the call ("changed"). An outcome in doubt is answered even then.
-- @include doubts
-- @include refusal
-- @include has-mark
-- @include nearly-full

-- Whether a call may leave under this mark: not if Redis lacks the mark, was found older than what was sent, or is nearly full.
-- A process that asks for a new mark then learns which of these it is. `number` is "" for callers without marks.
local leaves = {}
local function mayLeave(marks, number, link)
  if number == '' then return true end
  if leaves[number] == nil then
    leaves[number] = hasMark(marks, tonumber(number), link) and redis.call('HEXISTS', marks, 'older') == 0
      and not nearlyFull()
  end
  return leaves[number]
end

local function isSame(one, other)
  if type(one) ~= 'table' or type(other) ~= 'table' then return one == other end
  for name, value in next, one do
    if not isSame(value, other[name]) then return false end
  end
  for name in next, other do
    if one[name] == nil then return false end
  end
  return true
end

-- Whether a supplier of the portfolio, as JSON, is the one of the claim, with the same content.
local function isSupplier(known, it)
  local supplier = known and cjson.decode(known)
  return supplier and supplier.key == it.thing and (it.supplier == '' or isSame(supplier.body, cjson.decode(it.supplier)))
end

-- The row fields that a claim depends on, if no move has read the row yet; a deleted row has none. Without a revision the claim is for the
-- supplier, which is given up and approved with its import.
local function claimant(of, it)
  local row = fieldsOf(of.hash, { 'state', 'gen', 'rev', 'approval', 'refusal' })
  if it.revision == '' then
    local gen, approval, before, last = unpack(redis.call('HMGET', of.portfolio.hash, 'importGen', 'supplierApproval', 'supplierBefore', 'supplier'))
    -- While a later supplier waits for its approval, the earlier one (`before`) still counts: it was approved. A claim for any other
    -- supplier, by a job that read the portfolio earlier, needs the approval.
    local isBefore = isSupplier(before, it)
    row.state, row.gen, row.approval = nil, gen, row.approval or not isBefore and approval
    row.isOther = it.supplier ~= '' and not isBefore and not isSupplier(not before and last, it)
  end
  row.portfolio = of.portfolio
  return row
end

-- Whether this claim is answered "busy": the process that holds the call is alive, or may be. If not, the call is in doubt from now on.
local function isBusy(call, found, it, now)
  local process = string.match(found.owner, '^[^/]+')
  local seen = redis.call('ZSCORE', ROOT .. ':workers', process)
  if seen and tonumber(seen) > now - tonumber(it.vanishedAfterMs) then
    -- The process that has the claim is alive, yet may have ended its attempt. Its next heartbeat brings it this dispute, and it then says
    -- whether it still sends the call.
    if now - found.at > tonumber(it.disputedAfterMs) then
      local disputes = ROOT .. ':disputes:' .. process
      redis.call('SADD', disputes, it.kind .. ' ' .. found.owner .. ' ' .. it.thing)
      redis.call('EXPIRE', disputes, 3600)
    end
    return true
  end
  -- A process without a recent heartbeat of its own was cut off from Redis, and cannot judge that others vanished.
  local mine = redis.call('ZSCORE', ROOT .. ':workers', string.match(it.owner, '^[^/]+'))
  return mine and tonumber(mine) <= now - tonumber(it.vanishedAfterMs)
end

CALLS.claim = function(of, it)
  local call, portfolio, now = of.call, of.portfolio, tonumber(NOW)
  local found = recordOf(call)
  local state = found.state
  if state == 'made' then
    if it.asked ~= '' and found.asked and found.asked ~= '' and found.asked ~= it.asked then return { 'other', found.id } end
    return { 'made', found.id, found.row or '', found.record or '' }
  end
  local own = found.owner == it.owner and (state == 'claimed' or state == 'unknown')
  local open = tonumber(found.open or 0)
  if own and state == 'unknown' then
    -- The claim's owner was taken for vanished, but has sent nothing yet: nothing is in doubt.
    takeBackDoubt(call)
    open = open - 1
  elseif state == 'claimed' and not own then
    if isBusy(call, found, it, now) then return { 'busy' } end
    noteDoubt(call, 'the process that was sending it vanished', found.at, now)
    open = open + 1
  end
  local inDoubt = open > 0

  -- Every answer but "go" gives an earlier claim of this owner back.
  local function no(...)
    if own then
      redis.call('HSET', call, 'state', inDoubt and 'unknown' or 'free')
      redis.call('HDEL', call, 'owner')
      if not portfolio.archive then add(portfolio.hash, 'calls:' .. it.kind, -1) end
    end
    return { ... }
  end
  local ofRow, row = it.revision ~= '', of.row or claimant(of, it)
  -- Nothing is sent for a portfolio that is archived or being archived.
  local isSession = it.kind == 'session'
  local gone = portfolio.archive
  -- A person asks for a hosted session mostly after the row has ended. So the row's end does not stop the session, but a cancellation of
  -- the portfolio after the person asked does.
  local isWished = isSession and tonumber(found.wanted or -1) >= portfolio.cancels
  if isSession then gone = gone or not isWished else gone = gone or isGivenUpRow(row) end
  local isRequest = not ofRow or call == requestOf(portfolio.hash, of.key)
  local awaits = row.approval and not isGranted(portfolio, row.approval)
    or isRequest and declinedIn(portfolio.hash, found.declined, found.asks, found.yes)
    or not isRequest and declinedOf(portfolio.hash, requestOf(portfolio.hash, of.key))
  local refusedWith, refusedBody = refusalOf(row.refusal, call, it.revision)
  if refusedWith then return no('refused', refusedWith, refusedBody) end
  -- A refusal of a person's answer to the call overrides settings, even if the ledger has lost the call itself.
  local declined = found.answers and (inDoubt or not state) and noToAnswer(portfolio.hash, call)
  -- The service recognizes a repetition only if the earlier send carried the key, too, and in the same header.
  local isKeyed = (found.header or '') == it.header
  local onUnknown = it.onUnknown == 'repeat' and not isKeyed and it.withoutIt or it.onUnknown
  if inDoubt or declined then
    -- A cancelled row is not sent again, nor is other content under this key. The first send may have made something, so a person must
    -- find out.
    local other = found.words and found.words ~= it.words
    if declined or onUnknown == 'hold' or gone or awaits or other or found.others or found.late or isUsedUp(call, it.sends, it.withinMs, now) then
      local lost = redis.call('HMGET', call, 'heard', 'lostAt')
      return no('unknown', lost[1] or '', lost[2] or '', other and found.row ~= of.name and found.row or '')
    end
  end
  -- While an archive is being written, archiving may still be cancelled. So a session stays asked for until rows leave Redis.
  if isWished and gone and string.find(gone, '"is":"archiving"', 1, true) then return no('paused') end
  if gone then return no('cancelled') end
  if awaits then return no('awaiting') end
  if portfolio.paused then return no('paused') end
  -- While a portfolio sends some rows first, none of the others is sent, also if it was in progress before: it waits again.
  local goesFirst = not portfolio.first or redis.call('SISMEMBER', portfolio.hash .. ':first', of.key) == 1
  if ofRow and not isSession and not goesFirst then return no('paused') end
  -- The portfolio has got another supplier since the job looked, so the job looks again.
  if row.isOther then return no('busy') end
  -- Two jobs may have the row: the other one got the refusal that ended it, or is about to write the refusal of a held row. If Redis is
  -- older than the job, the row is back at an earlier step.
  -- A session belongs to a row whose limit was made. The request of such a row does not change any more, so its revision is not compared.
  if isSession and not isGrantedState(row.state) then return no('changed') end
  local isAtStep = ofRow and not isSession
  if isAtStep and (row.state ~= stepOf(it.kind) or (row.rev or '0') ~= it.revision) then return no('changed') end
  if inDoubt and not own and found.againAt and tonumber(found.againAt) > now then return { 'later', found.againAt - now } end
  if not mayLeave(ROOT .. ':marks', it.mark, it.link) then return no('unmarked') end

  local first, at, sends = found.first, found.at, found.sends
  if not first or found.words ~= it.words or not isKeyed then first = it.owner end
  if not own then
    at, sends = NOW, string.format('%d', (sends or 0) + 1)
    add(portfolio.hash, 'calls:' .. it.kind, 1)
    if inDoubt then
      tell(of.hash, now, cjson.encode({ is = 'sent again', kind = it.kind }))
      -- The service may have made the thing twice without ever saying so, so sends after an unknown outcome are counted for people.
      if onUnknown == 'resend' then add(portfolio.hash, 'resent:' .. it.kind, 1) end
    end
  end
  redis.call('HSET', call, 'state', 'claimed', 'owner', it.owner, 'row', of.name, 'first', first, 'words', it.words, 'asked', it.asked,
    'at', at or NOW, 'sends', sends or '1')
  if it.header ~= '' then
    redis.call('HSET', call, 'header', it.header)
  elseif found.header then
    redis.call('HDEL', call, 'header')
  end
  -- The limit's call keeps the id of the supplier under which it was sent, since the portfolio may have another supplier later.
  local supplier = it.kind == 'limit' and portfolio.supplier and cjson.decode(portfolio.supplier).id
  if supplier then
    redis.call('HSET', call, 'supplier', supplier)
  elseif found.supplier then
    redis.call('HDEL', call, 'supplier')
  end
  return { 'go', first }, true
end
