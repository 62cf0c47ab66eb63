-- Asks for the right to make the one call that makes a thing. Nothing may be sent unless the answer is "go".
-- KEYS and ARGV: one-call.lua. What is told:
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
-- @include one-call
-- @include approvals
-- @include doubts
-- @include may-leave
-- @include refusal
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local call = redis.call('HMGET', CALL, 'state', 'owner', 'id', 'row', 'record', 'heard', 'first', 'at', 'words',
  'againAt', 'asked', 'others')
local state, owner = call[1], call[2]

if state == 'made' then
  if it.asked ~= '' and call[11] and call[11] ~= '' and call[11] ~= it.asked then return { 'other', call[3] } end
  return { 'made', call[3], call[4] or '', call[5] or '' }
end
local own = owner == it.owner and (state == 'claimed' or state == 'unknown')
if own and state == 'unknown' then
  -- Taken for vanished, and has sent nothing after all.
  takeBackDoubt(CALL)
elseif state == 'claimed' and not own then
  local process = string.match(owner, '^[^/]+')
  local seen = redis.call('ZSCORE', ROOT .. ':workers', process)
  if seen and tonumber(seen) > now - tonumber(it.vanishedAfterMs) then
    -- Its process lives, yet may have lost it: it is asked, and answers with its next sign of life.
    if now - call[8] > tonumber(it.disputedAfterMs) then
      local disputes = ROOT .. ':disputes:' .. process
      redis.call('SADD', disputes, it.kind .. ' ' .. owner .. ' ' .. it.thing)
      redis.call('EXPIRE', disputes, 3600)
    end
    return { 'busy' }
  end
  -- Who has given no sign lately itself has been cut off from Redis, and cannot say of others that they vanished.
  local mine = redis.call('ZSCORE', ROOT .. ':workers', string.match(it.owner, '^[^/]+'))
  if mine and tonumber(mine) <= now - tonumber(it.vanishedAfterMs) then return { 'busy' } end
  noteDoubt(CALL, 'the process that was sending it vanished', call[8], now)
end

-- What was claimed by this owner before is given back with every answer but "go".
local function no(...)
  if own then
    redis.call('HSET', CALL, 'state', isInDoubt(CALL) and 'unknown' or 'free')
    redis.call('HDEL', CALL, 'owner')
    if redis.call('HEXISTS', PORTFOLIO, 'archive') == 0 then redis.call('HINCRBY', PORTFOLIO, 'calls:' .. it.kind, -1) end
  end
  return { ... }
end
-- What cancelled.lua says, of fields that are read together. A supplier has no row, and is given up and approved with its import.
local ofRow = it.revision ~= ''
local row = redis.call('HMGET', ROW, 'state', 'gen', 'rev', 'approval', 'refusal')
local portfolio = redis.call('HMGET', PORTFOLIO, 'cancels', 'importGen', 'paused', 'supplierApproval', 'archive')
local gen = row[2]
if not ofRow then gen = portfolio[2] end
local gone = ofRow and row[1] == 'cancelled' or tonumber(gen or 0) < tonumber(portfolio[1] or 0)
-- Nothing is sent for a portfolio that is archived, or on its way.
if portfolio[5] then gone = true end
local approval = row[4] or not ofRow and portfolio[4]
local awaits = approval and standingOf(PORTFOLIO, approval) ~= 'granted'
local request = ofRow and requestOf(PORTFOLIO, ARGV[2]) or CALL
awaits = awaits or declinedOf(PORTFOLIO, request) ~= nil
local refusedWith, refusedBody = refusalOf(row[5], CALL, it.revision)
if refusedWith then return no('refused', refusedWith, refusedBody) end
local inDoubt = isInDoubt(CALL)
-- A no to what somebody said of it holds against settings, too; also where the ledger has forgotten the call itself.
local declined = (inDoubt or not state) and noToAnswer(PORTFOLIO, CALL)
if inDoubt or declined then
  -- A row that was given up is not sent again, nor is anything else under this name; it may have been made all the same, and a
  -- person must know.
  local other = call[9] and call[9] ~= it.words
  if declined or it.onUnknown == 'hold' or gone or awaits or other or call[12] or isUsedUp(CALL, it.sends, it.withinMs, now) then
    local lost = redis.call('HMGET', CALL, 'heard', 'lostAt')
    return no('unknown', lost[1] or '', lost[2] or '')
  end
end
if gone then return no('cancelled') end
if awaits then return no('awaiting') end
if portfolio[3] then return no('paused') end
-- Of two jobs that have a row, one heard the refusal that ended it, or is about to write that of a held one.
if ofRow and (row[1] == 'refused' or row[1] == 'held' or (row[3] or '0') ~= it.revision) then return no('changed') end
if inDoubt and not own and call[10] and tonumber(call[10]) > now then return { 'later', call[10] - now } end
if not mayLeave(ROOT .. ':marks', it.mark, it.link) then return no('unmarked') end

local first = call[7]
if not first or call[9] ~= it.words then first = it.owner end
redis.call('HSET', CALL, 'state', 'claimed', 'owner', it.owner, 'row', ROW_NAME, 'first', first, 'words', it.words,
  'asked', it.asked)
if own then return { 'go', first } end
if inDoubt then
  tell(ROW, now, cjson.encode({ is = 'sent again', kind = it.kind }))
  -- The service may have it twice then, without ever saying so.
  if it.onUnknown == 'resend' then redis.call('HINCRBY', PORTFOLIO, 'resent:' .. it.kind, 1) end
end
redis.call('HSET', CALL, 'at', now)
redis.call('HINCRBY', CALL, 'sends', 1)
redis.call('HINCRBY', PORTFOLIO, 'calls:' .. it.kind, 1)
return { 'go', first }
