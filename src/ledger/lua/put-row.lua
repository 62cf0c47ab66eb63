-- Brings one line of an import into the ledger, whatever there is of it; most are new, and come by put-new-rows.lua. A row
-- nothing of whose limit call was sent takes the line's words, under a new revision where they differ, so that a job of the
-- old ones neither sends nor writes; one that was sent or made keeps its own. The row that the line is a correction of gives
-- way to it in the same step.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that would make its limit   KEYS[4] its buyer's requests
-- KEYS[5] the row that it replaces   KEYS[6] the call that would make that one's limit; KEYS[2] and KEYS[3] for none
-- ARGV[1] row key   ARGV[2] line   ARGV[3] import   ARGV[4] the request, as JSON   ARGV[5] its first step
-- ARGV[6] digest of what the line asks for   ARGV[7] how often the portfolio had been cancelled when the import began, or ""
-- ARGV[8] row, "<portfolio>/<key>"   ARGV[9] the requested limit
-- ARGV[10] how many requests its buyer had when somebody looked, or "" where nobody did
-- ARGV[11] key of the row that it replaces, or ""   ARGV[12] the problem that this row has from then on, as JSON
-- ARGV[13] another buyer whose unsent request of this name the line may take over, or ""
-- ARGV[14] the words that the row is searched by (index-entries.lua), or "" where it is not
-- ARGV[15] digest of the request that the row had, as JSON, where its words are known, or ""   ARGV[16] those words
-- ARGV[17] the open approval with which the import's rows wait for another person, or "" where none is asked for
-- ARGV[18] the date of its statements, where advice goes by it, or "": it is kept beside the words, and changes none of them
-- @brings-in
-- Answers "added" | "renewed" | "open" (there and not at its end)
-- | "ended" (there and at its end; or skipped now, since this request was made before; or done, since it was this row's own
--   in a ledger that was lost; or cancelled, since the portfolio was)
-- | "changed" (it asks for something else than what was sent: nothing is done)
-- | "other" (an unsent request of another buyer has this name: nothing is done)
-- | "again" (what somebody saw of the buyer's requests is no longer so: nothing is done)
-- | "words <request>" (the row has this request, and ARGV[15] is not its digest: nothing is done)
-- | "closed" (the approval is open no longer: nothing is done)
-- | "declined" (a person said no to the request, or to the one that it replaces, so it needs an approval: nothing is done)
-- What was approved are words: a row that gets others waits for the approval of the import that brought them.
-- @include nearly-full
-- @include move
local portfolio, row, limit, requests, oldRow, oldLimit = unpack(KEYS)
local key, line, import, request, step, asked, importGen, name, amount, seen, oldKey, oldProblem, takes = unpack(ARGV, 1, 13)
local words, knownRequest, wordsBefore, approval, statements = unpack(ARGV, 14, 18)
-- @include approvals
local full = fullError()
if full then return full end
if approval ~= '' and standingOf(portfolio, approval) ~= 'open' then return 'closed' end
local waits = approval == '' and 'queued' or 'awaiting'
local now = nowText()
local found = redis.call('HMGET', row, 'state', 'request')
local call = redis.call('HMGET', limit, 'state', 'id', 'record', 'asked')
local state, made = found[1], call[1] == 'made'
local sent = made or call[1] == 'claimed' or call[1] == 'unknown'
local known = redis.call('HMGET', portfolio, 'cancels', 'archive')
if known[2] then
-- @include archived
  return archivedError(portfolio)
end
local gen = importGen ~= '' and importGen or known[1] or '0'
local wasCancelled = tonumber(gen) < tonumber(known[1] or 0)
-- Sent for another line, under this name but for another buyer or amount.
if sent and call[4] and call[4] ~= '' and call[4] ~= asked then return 'changed' end

-- @include replaced
-- A limit that was made for this very row is the row's own again, where a results file tells of it (recover-call.lua), with all that
-- the file knew, or where the row alone was gone. Answers whether it is.
local function takeRecovered(row, call, name, isGone)
  local found = redis.call('HMGET', call, 'by', 'row', 'company', 'documents')
  if found[2] ~= name or found[1] ~= 'a results file' and not isGone then return false end
  local buyer = string.match(redis.call('HGET', row, 'request'), '"buyer":"([^"\\]*)"') or ''
  local company = found[3] or redis.call('HGET', string.gsub(call, ':limit:[^:]*$', ':company:') .. buyer, 'id') or ''
  if company ~= '' then redis.call('HSET', row, 'company', company) end
  if (found[4] or '') ~= '' then redis.call('HSET', row, 'documents', found[4]) end
  redis.call('HSET', row, 'step', 'limit')
  return true
end
-- @include cancelled
-- @include tally
-- @include tell
-- @include index-row
-- @include waiting
local same = state and found[2] == request
if state and not same and (sent or state == 'done') then return 'changed' end
-- A name that is used for another buyer is not the same request: taken over, that one would be answered to nobody.
local before = state and not same and cjson.decode(found[2]).buyer
if before and before ~= cjson.decode(request).buyer and before ~= takes then return 'other' end

-- What is to give way, as it is; nothing where it has given way to this very line already.
local old
if oldKey ~= '' then
  local shown = redis.call('HMGET', oldRow, 'state', 'line', 'replaced')
  if shown[3] ~= import .. ' ' .. key then
    local ended = not shown[1] or shown[1] == 'done' or shown[1] == 'skipped'
    if ended or isReplaced(oldRow) or isSent(oldLimit) then return 'again' end
    old = shown
  end
end
local comes = not state or state == 'cancelled'
if comes and seen ~= '' and redis.call('HLEN', requests) ~= tonumber(seen) then return 'again' end
-- Which words stand in the index is known to whoever wrote them there; it is asked for those of this request.
if words ~= '' and state and not same and redis.sha1hex(found[2]) ~= knownRequest then return 'words ' .. found[2] end
if same then wordsBefore = words end
-- What a person said no to waits for another's yes, whatever settings ask for, and so does what comes in its place.
local declined = declinedOf(portfolio, limit) or old and declinedOf(portfolio, oldLimit)
local goesOn = not same or state == 'refused' or state == 'cancelled' or state == 'awaiting' and isLeftOpen(portfolio, row)
if declined and goesOn and not made and not wasCancelled then
  if approval == '' then return 'declined' end
  redis.call('HSET', limit, 'declined', declined)
end
local was = state and placeInIndexes(portfolio, row, key, wordsBefore)
if old then
  moveRow(portfolio, oldRow, oldKey, old[1], 'cancelled', old[2], now)
  redis.call('HDEL', oldRow, 'was', 'answer')
  redis.call('HSET', oldRow, 'problem', oldProblem)
  noteReplaced(oldRow, import .. ' ' .. key)
  tallyRow(portfolio, oldRow, oldKey)
  tell(oldRow, now, cjson.encode({ is = 'replaced', import = import, by = key }))
end

if statements ~= '' then redis.call('HSET', row, 'statements', statements) else redis.call('HDEL', row, 'statements') end
if state == 'cancelled' then tellGivenUp(portfolio, row) end
if state then
  redis.call('HSET', row, 'line', line, 'import', import, 'gen', gen)
  redis.call('ZADD', portfolio .. ':state:' .. state, 'XX', line, key)
  -- An invalid line of the same file may have counted as this row; from now on this line does.
  if redis.call('HGET', portfolio, 'importNumber') == import then redis.call('HDEL', portfolio .. ':lines:kept', key) end
  local goes = state == 'awaiting' and same and goesWith(portfolio, row, approval)
  if same and not goes and state ~= 'refused' and state ~= 'cancelled' then
    tallyRow(portfolio, row, key)
    indexRow(portfolio, row, key, was, wordsBefore, words)
    if old then noteFinish(portfolio, now) end
    return (state == 'done' or state == 'skipped' or state == 'held') and 'ended' or 'open'
  end
  local told = { is = same and 'imported again' or 'mended', import = import, from = state }
  if not same then told.before = shortened(found[2]) end
  tell(row, now, cjson.encode(told))
  if not same then
-- @include amounts
-- @include people-passed
    local counts = redis.call('HMGET', row, 'approval', 'unpassed', 'tally')
    local asks = string.match(counts[3] or '', '^[ab]|%a+|([^|]*)') or ''
    if counts[1] and counts[1] ~= counts[2] then countRow(portfolio, row, counts[1], true, asks) end
    redis.call('HINCRBY', row, 'rev', 1)
    -- It is not what somebody planned something for.
    redis.call('HSET', row, 'updated', now)
    local requestsBefore = string.gsub(requests, '[^:]+:rows$', '') .. before .. ':rows'
    if requestsBefore ~= requests then redis.call('HDEL', requestsBefore, name) end
  end
  redis.call('HDEL', row, 'company', 'documents')
  forgetTries(row)
  takeBackReplaced(row)
end
redis.call('HSET', row, 'line', line, 'import', import, 'request', request, 'step', step, 'gen', gen)
local isKnown = redis.call('HSET', requests, name, amount) == 0
-- @include made-ids
-- @include note-alike
noteCompanyOf(requests, request)
local to = waits
-- Cancelled since the import began: what it still brings in is cancelled too.
if wasCancelled then to = 'cancelled' end
if made then
  redis.call('HSET', row, 'limit', call[2], 'record', call[3])
  to = takeRecovered(row, limit, name, not state) and 'done' or 'skipped'
end
moveRow(portfolio, row, key, state, to, line, now)
bindRow(row, not made and approval or '')
-- A row that was gone, as reconcile says, was counted when it came in first, with its limit; one that recover-call.lua tells of was not.
local isBack = not state and isKnown and redis.call('HEXISTS', limit, 'line') == 0
if not state and not isBack then redis.call('HINCRBY', portfolio, 'added:' .. import, 1) end
if to == 'done' and not isBack then redis.call('HINCRBY', portfolio, 'made:limit', 1) end
tallyRow(portfolio, row, key, amount)
indexRow(portfolio, row, key, was, wordsBefore, words)
noteFinish(portfolio, now)
if to ~= waits then return 'ended' end
return state and 'renewed' or 'added'
