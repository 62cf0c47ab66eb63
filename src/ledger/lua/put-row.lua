-- Brings one line of an import into the ledger, whatever there is of it; most are new, and come by put-new-rows.lua. A row
-- nothing of whose limit call was sent takes the line's words, under a new revision where they differ, so that a job of the
-- old ones neither sends nor writes; one that was sent or made keeps its own. The row that the line is a correction of gives
-- way to it in the same step.
-- KEYS[1] the account
-- ARGV as trip.lua takes them, of one row and its one move `put`, which is told (schema.ts):
--   line, import, request (as JSON), buyer, step (its first), amount (the requested limit), asked (digest of what the line asks for)
--   gen         how often the portfolio had been cancelled when the import began, or ""
--   seen        how many requests its buyer had when somebody looked, or "" where nobody did
--   old         key of the row that it replaces, or ""; `problem` is what this row has from then on, as JSON
--   takes       another buyer whose unsent request of this name the line may take over, or ""
--   words       by which the row is searched (index-entries.lua), or "" where it is not
--   approval    the open one with which the import's rows wait for another person, or "" where none is asked for
--   statements  the date of its statements, where advice goes by it, or "": it is kept beside the words, and changes none of them
--   known       digest of the request that the row had, as JSON, where its words are known, or ""; `before` are those words
-- @brings-in
-- Answers "added" | "renewed" | "open" (there and not at its end)
-- | "ended" (there and at its end; or skipped now, since this request was made before; or done, since it was this row's own
--   in a ledger that was lost; or cancelled, since the portfolio was)
-- | "changed" (it asks for something else than what was sent: nothing is done)
-- | "other" (an unsent request of another buyer has this name: nothing is done)
-- | "again" (what somebody saw of the buyer's requests is no longer so: nothing is done)
-- | "words <request>" (the row has this request, and `known` is not its digest: nothing is done)
-- | "closed" (the approval is open no longer: nothing is done)
-- | "declined" (a person said no to the request, or to the one that it replaces, so it needs an approval: nothing is done)
-- What was approved are words: a row that gets others waits for the approval of the import that brought them.
-- @include nearly-full
-- @include schema
-- @include move
-- @include approvals
-- @include archived
-- @include cancelled
-- @include tell
-- @include index-entries
-- @include portfolio-of
-- @include made-ids
-- @include note-alike
local NOW = nowText()
-- @include derive
-- @include change
local it, key = toldOf(ARGV[4], 5), ARGV[2]
local request, words, wordsBefore, approval = it.request, it.words, it.before, it.approval
local full = fullError()
if full then return full end
local portfolio = portfolioOf(ARGV[1])
local hash, name = portfolio.hash, portfolio.name .. '/' .. key
if approval ~= '' and standingOf(hash, approval) ~= 'open' then return 'closed' end
if portfolio.archive then return archivedError(hash) end
local limit, requests = ROOT .. ':call:limit:' .. key, ROOT .. ':buyer:' .. it.buyer .. ':rows'
local waits = approval == '' and 'queued' or 'awaiting'
local row = rowOf(portfolio, key) or rowIn(portfolio, key, {})
local state, before = row.state, row.state and laterOf(row, 'request')
local call = redis.call('HMGET', limit, 'state', 'id', 'record', 'asked')
local made = call[1] == 'made'
local sent = made or call[1] == 'claimed' or call[1] == 'unknown'
local gen = it.gen ~= '' and it.gen or tostring(portfolio.cancels)
local wasCancelled = tonumber(gen) < portfolio.cancels
-- Sent for another line, under this name but for another buyer or amount.
if sent and call[4] and call[4] ~= '' and call[4] ~= it.asked then return 'changed' end
local same = before == request
if state and not same and (sent or state == 'done') then return 'changed' end
-- A name that is used for another buyer is not the same request: taken over, that one would be answered to nobody.
local buyerBefore = state and not same and cjson.decode(before).buyer
if buyerBefore and buyerBefore ~= cjson.decode(request).buyer and buyerBefore ~= it.takes then return 'other' end

-- What is to give way, as it is; nothing where it has given way to this very line already.
local by, old = it.import .. ' ' .. key, nil
if it.old ~= '' then
  old = rowOf(portfolio, it.old)
  local ended = not old or old.state == 'done' or old.state == 'skipped'
  if old and old.replaced == by then
    old = nil
  elseif ended or isReplacedRow(old) or isSent(ROOT .. ':call:limit:' .. it.old) then
    return 'again'
  end
end
local comes = not state or state == 'cancelled'
if comes and it.seen ~= '' and redis.call('HLEN', requests) ~= tonumber(it.seen) then return 'again' end
-- Which words stand in the index is known to whoever wrote them there; it is asked for those of this request.
if words ~= '' and state and not same and redis.sha1hex(before) ~= it.known then return 'words ' .. before end
if same then wordsBefore = words end
-- What an import that died left waiting goes on with this one: its approval is open, and the row was nothing before.
local isLeftOpen = state == 'awaiting' and not row.was and row.approval and standingOf(hash, row.approval) == 'open'
-- What a person said no to waits for another's yes, whatever settings ask for, and so does what comes in its place.
local declined = declinedOf(hash, limit) or old and declinedOf(hash, requestOf(hash, it.old))
local goesOn = not same or state == 'refused' or state == 'cancelled' or isLeftOpen
if declined and goesOn and not made and not wasCancelled then
  if approval == '' then return 'declined' end
  redis.call('HSET', limit, 'declined', declined)
end

-- The names and the digests of words by which the row is searched; what its fields say of ids and amounts is change's business.
local names = namesOf(hash)
local isIndexed = words ~= '' and state and redis.call('ZSCORE', names, nameEntry(wordsBefore, key))
if words ~= '' then
  if isIndexed and wordsBefore ~= words then redis.call('ZREM', names, nameEntry(wordsBefore, key)) end
  redis.call('ZADD', names, 0, nameEntry(words, key))
end
local function digestsIn(text)
  local digests = {}
  for digest in string.gmatch(string.match(text, '^[%x ]*') or '', '%x+') do digests[digest] = true end
  return digests
end
local function moveWords(now)
  if words == '' then return end
  local level, had, has = searchLevel(portfolio) or 0, isIndexed and digestsIn(wordsBefore) or {}, digestsIn(words)
  local ids = {}
  for id in pairs(idsOf(now)) do ids[digestOfId(id)] = true end
  for digest in pairs(had) do
    if not has[digest] and not ids[digest] then removeId(hash, digest, key, level) end
  end
  -- An id that the row has no longer may be one of its words.
  local isKept = row.company == now.company and had or {}
  for digest in pairs(has) do
    if not isKept[digest] then addId(hash, digest, key, level) end
  end
  if isIndexed then return end
  for digest in pairs(ids) do addId(hash, digest, key, level) end
  putInColumn(now, shareIn(now.tally), 1)
end

-- A limit that was made for this very row is the row's own again, where a results file tells of it (recover-call.lua), with all that
-- the file knew, or where the row alone was gone. Answers whether it is.
local function takeRecovered(fields)
  local found = redis.call('HMGET', limit, 'by', 'row', 'company', 'documents')
  if found[2] ~= name or found[1] ~= 'a results file' and state then return false end
  local company = found[3] or redis.call('HGET', ROOT .. ':call:company:' .. it.buyer, 'id') or ''
  fields.company, fields.documents = company ~= '' and company, (found[4] or '') ~= '' and found[4]
  fields.step = 'limit'
  return true
end

local function write(fields)
  local now = change(row, fields, nil, amountText(it.amount))
  moveWords(now)
  local fault = writeGathered(NOW)[portfolio.name]
  if fault then error(fault) end
end

if old then
  change(old, { state = 'cancelled', was = false, answer = false, problem = it.problem, replaced = by })
  tell(old.hash, NOW, cjson.encode({ is = 'replaced', import = it.import, by = key }))
end
if state then
  tellWhoGaveUp(row)
  -- An invalid line of the same file may have counted as this row; from now on this line does.
  if redis.call('HGET', hash, 'importNumber') == it.import then redis.call('HDEL', hash .. ':lines:kept', key) end
  local goes = isLeftOpen and same and approval == ''
  if same and not goes and state ~= 'refused' and state ~= 'cancelled' then
    local stays = { line = it.line, import = it.import, gen = gen, statements = it.statements ~= '' and it.statements }
    if isLeftOpen then stays.approval = approval end
    write(stays)
    return (state == 'done' or state == 'skipped' or state == 'held') and 'ended' or 'open'
  end
  local told = { is = same and 'imported again' or 'mended', import = it.import, from = state }
  if not same then told.before = shortened(before) end
  tell(row.hash, NOW, cjson.encode(told))
end
local fields = withoutTries(row)
fields.line, fields.import, fields.request, fields.step, fields.gen = it.line, it.import, request, it.step, gen
fields.statements, fields.replaced, fields.company, fields.documents = it.statements ~= '' and it.statements, false, false, false
if state and not same then
  if row.approval and row.approval ~= row.unpassed then
    countOfPeople(row, row, true, shareIn(row.tally).asked or '')
    row.unpassed = row.approval
  end
  -- It is not what somebody planned something for.
  fields.rev, fields.updated = string.format('%d', (row.rev or 0) + 1), NOW
  if buyerBefore ~= it.buyer then redis.call('HDEL', ROOT .. ':buyer:' .. buyerBefore .. ':rows', name) end
end
local isKnown = redis.call('HSET', requests, name, it.amount) == 0
noteCompanyOf(requests, request)
-- Cancelled since the import began: what it still brings in is cancelled too.
local to = wasCancelled and 'cancelled' or waits
if made then
  fields.limit, fields.record = call[2], call[3]
  to = takeRecovered(fields) and 'done' or 'skipped'
end
fields.state, fields.was, fields.answer = to, false, false
fields.approval = not made and approval ~= '' and approval
-- A row that was gone, as the nightly check says, was counted when it came in first, with its limit; one that recover-call.lua tells of was not.
local isBack = not state and isKnown and redis.call('HEXISTS', limit, 'line') == 0
if not state and not isBack then redis.call('HINCRBY', hash, 'added:' .. it.import, 1) end
if to == 'done' and not isBack then redis.call('HINCRBY', hash, 'made:limit', 1) end
write(fields)
if to ~= waits then return 'ended' end
return state and 'renewed' or 'added'
