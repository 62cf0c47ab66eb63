-- Included by batch.lua: asks for the right to make the one call that makes a thing. Nothing may be sent unless the answer is "go".
-- What is told:
--   owner        one attempt, "<process>/<n>"
--   revision     of the row that is worked on, "" where there is no row
--   words        digest of what is sent; `asked` that of what the line asked for, or ""
--   mark, link   number of the mark under which it is to leave, or "", and that mark
--   onUnknown    "hold", "resend" or "repeat": what to do when an earlier outcome is unknown
--   sends, withinMs   sends after an unknown answer at most, and the time for them
--   vanishedAfterMs   without a sign of life a process has vanished; `disputedAfterMs` a claim is disputed
-- Answers { "go", first } | { "made", id, row, record } | { "other", id } (made, for a line that asked for something else)
--         | { "busy" } | { "later", ms } | { "unknown", heard, at } | { "awaiting" } | { "paused" } | { "cancelled" } | { "changed" }
--         | { "refused", status, what the service said } (to another job of the row, which is about to end it)
--         | { "unmarked" } (Redis is older than what was sent),
-- where "at" is when it was sent, in ms, and "first" is the owner of the first of the sends of this content whose outcome
-- is open or that made nothing: the same for every repetition.
-- Idempotent for its owner, who asks again only while it has sent nothing: the reply was lost, or came too late. What was
-- decided meanwhile holds for it too.
-- Nothing is sent for a row, or for the supplier of an import, whose approval is not granted ("awaiting"), or whose request a person
-- declined, whatever state the row is in and whoever asks, nor for a refused row ("changed"); an outcome in doubt is told all the same.
-- @include doubts
-- @include refusal
-- @include has-mark
-- @include nearly-full

-- Whether a call may leave under this mark. Not where Redis lacks it, or was seen to be older than what was sent, nor where Redis is nearly
-- full: who asks for a new mark then is told so. Who marks nothing says "".
local leaves = {}
local function mayLeave(marks, number, link)
  if number == '' then return true end
  if leaves[number] == nil then
    leaves[number] = hasMark(marks, tonumber(number), link) and redis.call('HEXISTS', marks, 'older') == 0
      and not nearlyFull()
  end
  return leaves[number]
end

local CLAIMED = { 'state', 'owner', 'id', 'row', 'record', 'heard', 'first', 'at', 'words', 'againAt', 'asked', 'others', 'open', 'sends',
  'answers', 'declined', 'asks', 'yes' }

-- What a claim goes by, where nobody has read its row yet; a row that is gone has none of it. Who names no revision asks for the supplier,
-- which is given up and approved with its import.
local function claimant(of, it)
  local row = fieldsOf(of.hash, { 'state', 'gen', 'rev', 'approval', 'refusal' })
  if it.revision == '' then
    local known = redis.call('HMGET', of.portfolio.hash, 'importGen', 'supplierApproval')
    row.state, row.gen, row.approval = nil, known[1], row.approval or known[2]
  end
  row.portfolio = of.portfolio
  return row
end

-- Whose sender lives, or may live: the call is left to it. Any other is in doubt from now on.
local function isBusy(call, found, it, now)
  local process = string.match(found.owner, '^[^/]+')
  local seen = redis.call('ZSCORE', ROOT .. ':workers', process)
  if seen and tonumber(seen) > now - tonumber(it.vanishedAfterMs) then
    -- Its process lives, yet may have lost it: it is asked, and answers with its next sign of life.
    if now - found.at > tonumber(it.disputedAfterMs) then
      local disputes = ROOT .. ':disputes:' .. process
      redis.call('SADD', disputes, it.kind .. ' ' .. found.owner .. ' ' .. it.thing)
      redis.call('EXPIRE', disputes, 3600)
    end
    return true
  end
  -- Who has given no sign lately itself has been cut off from Redis, and cannot say of others that they vanished.
  local mine = redis.call('ZSCORE', ROOT .. ':workers', string.match(it.owner, '^[^/]+'))
  return mine and tonumber(mine) <= now - tonumber(it.vanishedAfterMs)
end

CALLS.claim = function(of, it)
  local call, portfolio, now = of.call, of.portfolio, tonumber(NOW)
  local found = fieldsOf(call, CLAIMED)
  local state = found.state
  if state == 'made' then
    if it.asked ~= '' and found.asked and found.asked ~= '' and found.asked ~= it.asked then return { 'other', found.id } end
    return { 'made', found.id, found.row or '', found.record or '' }
  end
  local own = found.owner == it.owner and (state == 'claimed' or state == 'unknown')
  local open = tonumber(found.open or 0)
  if own and state == 'unknown' then
    -- Taken for vanished, and has sent nothing after all.
    takeBackDoubt(call)
    open = open - 1
  elseif state == 'claimed' and not own then
    if isBusy(call, found, it, now) then return { 'busy' } end
    noteDoubt(call, 'the process that was sending it vanished', found.at, now)
    open = open + 1
  end
  local inDoubt = open > 0

  -- What was claimed by this owner before is given back with every answer but "go".
  local function no(...)
    if own then
      redis.call('HSET', call, 'state', inDoubt and 'unknown' or 'free')
      redis.call('HDEL', call, 'owner')
      if not portfolio.archive then add(portfolio.hash, 'calls:' .. it.kind, -1) end
    end
    return { ... }
  end
  local ofRow, row = it.revision ~= '', of.row or claimant(of, it)
  -- Nothing is sent for a portfolio that is archived, or on its way.
  local gone = isGivenUpRow(row) or portfolio.archive
  local isRequest = not ofRow or call == requestOf(portfolio.hash, of.key)
  local awaits = row.approval and not isGranted(portfolio, row.approval)
    or isRequest and declinedIn(portfolio.hash, found.declined, found.asks, found.yes)
    or not isRequest and declinedOf(portfolio.hash, requestOf(portfolio.hash, of.key))
  local refusedWith, refusedBody = refusalOf(row.refusal, call, it.revision)
  if refusedWith then return no('refused', refusedWith, refusedBody) end
  -- A no to what somebody said of it holds against settings, too; also where the ledger has forgotten the call itself.
  local declined = found.answers and (inDoubt or not state) and noToAnswer(portfolio.hash, call)
  if inDoubt or declined then
    -- A row that was given up is not sent again, nor is anything else under this name; it may have been made all the same, and a
    -- person must know.
    local other = found.words and found.words ~= it.words
    if declined or it.onUnknown == 'hold' or gone or awaits or other or found.others or isUsedUp(call, it.sends, it.withinMs, now) then
      local lost = redis.call('HMGET', call, 'heard', 'lostAt')
      return no('unknown', lost[1] or '', lost[2] or '')
    end
  end
  if gone then return no('cancelled') end
  if awaits then return no('awaiting') end
  if portfolio.paused then return no('paused') end
  -- Of two jobs that have a row, one heard the refusal that ended it, or is about to write that of a held one.
  if ofRow and (row.state == 'refused' or row.state == 'held' or (row.rev or '0') ~= it.revision) then return no('changed') end
  if inDoubt and not own and found.againAt and tonumber(found.againAt) > now then return { 'later', found.againAt - now } end
  if not mayLeave(ROOT .. ':marks', it.mark, it.link) then return no('unmarked') end

  local first, at, sends = found.first, found.at, found.sends
  if not first or found.words ~= it.words then first = it.owner end
  if not own then
    at, sends = NOW, string.format('%d', (sends or 0) + 1)
    add(portfolio.hash, 'calls:' .. it.kind, 1)
    if inDoubt then
      tell(of.hash, now, cjson.encode({ is = 'sent again', kind = it.kind }))
      -- The service may have it twice then, without ever saying so.
      if it.onUnknown == 'resend' then add(portfolio.hash, 'resent:' .. it.kind, 1) end
    end
  end
  redis.call('HSET', call, 'state', 'claimed', 'owner', it.owner, 'row', of.name, 'first', first, 'words', it.words, 'asked', it.asked,
    'at', at or NOW, 'sends', sends or '1')
  return { 'go', first }, true
end
