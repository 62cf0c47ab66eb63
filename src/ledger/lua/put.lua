-- Brings lines of imports into the ledger, several at one moment. A row whose limit call was never sent takes its line's request; if that
-- differs, the row gets a new revision, so that a job with the old request neither sends nor writes. A row that was sent or made keeps its
-- request. A row that the line corrects is cancelled in the same step.
-- KEYS[1] the account
-- ARGV and answers: items.lua, with the one move `put` and its arguments (schema.ts):
--   line, import, request (as JSON), buyer, step (its first), amount (the requested limit), asked (digest of what the line asks for)
--   gen         how often the portfolio had been cancelled when the import began, or ""
--   began       when the import began, in ms, or ""
--   seen        number of the buyer's requests when somebody looked, or "" if nobody did
--   isNew       "1" for a line believed new: nothing is done if its row or its call exists, or its portfolio was cancelled
--   old         key of the row that it replaces, or ""; `problem`: the replaced row's problem from then on, as JSON
--   takes       another buyer whose unsent request of this reference the line may take over, or ""
--   words       search words of the row (index-entries.lua), or "" if it is not searched
--   approval    the open approval that the import's rows wait for, or "" for none
--   statements  what is known of the financial statements, if advice depends on it, or ""; kept beside the request
--   known       SHA-1 of the row's earlier request, as JSON, if its search words are known, or ""; `before`: those words
-- @brings-in
-- Answers "added" | "renewed" | "open" (the row exists and has not ended; or was refused while the import was under way)
-- | "ended" (the row exists and has ended; or is skipped, since the request was made before; or is done, since the limit was the row's own
--   in a lost ledger; or is cancelled, since the portfolio was)
-- | "changed" (it asks for something else than what was sent: nothing is done)
-- | "other" (an unsent request of another buyer has this reference: nothing is done)
-- | "again" (the buyer's requests have changed since they were read: nothing is done)
-- | "words <request>" (the row has this request, and `known` is not its digest: nothing is done)
-- | "closed" (the approval is not open any more: nothing is done)
-- | "declined" (a person declined the request, or the one it replaces, so it needs an approval: nothing is done)
-- An approval covers a request as it was: a row that gets another one waits for the approval of the import that brought it.
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
local NOW, full = nowText(), fullError()
-- @include derive
-- @include change

-- Whether the row was refused after the import began. The person who began the import did not know of the refusal. Perhaps this very import
-- even brought the row in, and only the reply was lost.
local function isRefusedSince(row, began)
  if row.state ~= 'refused' or began == '' then return false end
  -- A damaged row may lack the time of its refusal. The row then counts as refused before the import.
  return (tonumber(laterOf(row, 'since') or laterOf(row, 'updated') or '') or 0) >= tonumber(began)
end

-- Reads a line's row, call and buyer before anything is written. Most lines of a first import have none of them, which one command says.
local function lineOf(portfolio, key, it)
  local limit, requests = ROOT .. ':call:limit:' .. key, ROOT .. ':buyer:' .. it.buyer .. ':rows'
  local isFirst = it.isNew == '1' and it.seen == '0' and redis.call('EXISTS', portfolio.rows .. key, limit, requests) == 0
  local row = not isFirst and rowOf(portfolio, key) or rowIn(portfolio, key, {})
  local state, call = row.state, isFirst and {} or fieldsOf(limit, { 'state', 'id', 'record', 'asked', 'declined', 'asks', 'yes' })
  local before, is = state and laterOf(row, 'request') or nil, call.state
  local same, gen = before == it.request, it.gen ~= '' and it.gen or tostring(portfolio.cancels)
  return {
    it = it, portfolio = portfolio, key = key, name = portfolio.name .. '/' .. key, by = it.import .. ' ' .. key, row = row, state = state,
    limit = limit, call = call, made = is == 'made', sent = is == 'made' or is == 'claimed' or is == 'unknown',
    requests = requests, isFirst = isFirst, before = before, same = same,
    buyerBefore = state and not same and cjson.decode(before).buyer, old = it.old ~= '' and rowOf(portfolio, it.old) or nil,
    gen = gen, wasCancelled = tonumber(gen) < portfolio.cancels, rests = same and isRefusedSince(row, it.began), isLeftOpen = false, isIndexed = false, had = nil,
  }
end

-- Whoever asked for what the approval `from` covers asks for it by the approval `to`, too, and so may not approve it. Who dropped a file
-- counts as a person at the command line here: INBOX_APPROVERS is the rule of files that were dropped themselves.
local added = {}
local function addAuthors(hash, from, to)
  if added[from .. ' ' .. to] then return end
  added[from .. ' ' .. to] = true
  local fields = redis.call('HGETALL', approvalKey(hash, from))
  for at = 1, #fields, 2 do
    local author = string.gsub(fields[at], '^author:drop folder %(', 'author:command line (')
    if string.match(author, '^author:') and author ~= 'author:inbox' then
      redis.call('HSETNX', approvalKey(hash, to), author, fields[at + 1])
    end
  end
end

-- The answer if the line is not imported; nil if it is.
local function whyNot(line)
  local it, portfolio, row, state, old = line.it, line.portfolio, line.row, line.state, line.old
  local isKnown = state or line.call.state or line.wasCancelled
  if it.isNew == '1' and (isKnown or not line.isFirst and redis.call('HEXISTS', line.requests, line.name) == 1) then return 'again' end
  -- The call was sent for another buyer or amount under this key.
  if line.sent and (line.call.asked or '') ~= '' and line.call.asked ~= it.asked then return 'changed' end
  if state and not line.same and (line.sent or state == 'done') then return 'changed' end
  -- A reference that another buyer uses is another request. Taken over, that buyer's request would be lost.
  local buyerBefore = line.buyerBefore
  if buyerBefore and buyerBefore ~= cjson.decode(it.request).buyer and buyerBefore ~= it.takes then return 'other' end
  -- The row to be replaced must still be replaceable; nothing is done if this line has replaced it already.
  if it.old ~= '' then
    local ended = not old or old.state == 'done' or old.state == 'skipped'
    if old and old.replaced == line.by then
      line.old = nil
    elseif ended or isReplacedRow(old) or isSent(ROOT .. ':call:limit:' .. it.old) then
      return 'again'
    end
  end
  -- A line that takes another row's place is new to its own row. It asks again, even if that row was refused while the import was under
  -- way.
  line.rests = line.rests and not line.old
  local comes = not state or state == 'cancelled'
  if comes and not line.isFirst and it.seen ~= '' and redis.call('HLEN', line.requests) ~= tonumber(it.seen) then return 'again' end
  -- Only the caller can compute the search words of the earlier request, so it is asked for them.
  if it.words ~= '' and state and not line.same and redis.sha1hex(line.before) ~= it.known then return 'words ' .. line.before end
  -- A row left waiting by an import that died belongs to this import: its approval is open, and it had no state before.
  line.isLeftOpen = state == 'awaiting' and not row.was and row.approval and standingOf(portfolio.hash, row.approval) == 'open'
  -- A request that a person declined needs another person's yes, whatever the settings say; so does its replacement.
  local declined = declinedIn(portfolio.hash, line.call.declined, line.call.asks, line.call.yes)
    or line.old and declinedOf(portfolio.hash, requestOf(portfolio.hash, it.old))
  local goesOn = not line.same or state == 'refused' and not line.rests or state == 'cancelled' or line.isLeftOpen
  if declined and goesOn and not line.made and not line.wasCancelled then
    if it.approval == '' then return 'declined' end
    redis.call('HSET', line.limit, 'declined', declined)
    addAuthors(portfolio.hash, declined, it.approval)
  end
end

local function digestsIn(text)
  local digests = {}
  for digest in string.gmatch(string.match(text, '^[%x ]*') or '', '%x+') do digests[digest] = true end
  return digests
end

-- Moves the row's name and search words in the index. Its ids and amounts are left to change().
local function moveName(line)
  local words = line.it.words
  if words == '' then return end
  local names, before = namesOf(line.portfolio.hash), line.same and words or line.it.before
  -- Reading the level also fails before anything is written, if the names are damaged.
  line.portfolio.level = searchLevel(line.portfolio) or 0
  line.isIndexed = line.state and isIn(line.portfolio, names, nameEntry(before, line.key))
  line.had = line.isIndexed and digestsIn(before) or {}
  if line.isIndexed and before ~= words then stand(line.portfolio, names, false, nameEntry(before, line.key)) end
  stand(line.portfolio, names, '0', nameEntry(words, line.key))
end

local function moveWords(line, now)
  if line.it.words == '' then return end
  local hash, level, had = line.portfolio.hash, searchLevel(line.portfolio) or 0, line.had
  if not line.state then
    local digests = string.sub(line.it.words, 1, string.find(line.it.words, '\n', 1, true))
    for digest in string.gmatch(digests, '%x+') do addId(hash, digest, line.key, level) end
    return
  end
  local has = digestsIn(line.it.words)
  local ids = {}
  for id in pairs(idsOf(now)) do ids[digestOfId(id)] = true end
  for digest in pairs(had) do
    if not has[digest] and not ids[digest] then removeId(hash, digest, line.key, level) end
  end
  -- If the row's company id changed, all search words are added again: the id that was just removed may be one of them.
  local isKept = line.row.company == now.company and had or {}
  for digest in pairs(has) do
    if not isKept[digest] then addId(hash, digest, line.key, level) end
  end
  if line.isIndexed then return end
  for digest in pairs(ids) do addId(hash, digest, line.key, level) end
  putInColumn(now, shareIn(now.tally), 1)
end

local function write(line, fields)
  moveWords(line, change(line.row, fields, nil, amountText(line.it.amount)))
end

-- If a results file told of a limit made for this very row (recover-call.lua), or only the row was lost, the limit is the row's own
-- again. Answers whether it is.
local function takeRecovered(line, fields)
  local found = redis.call('HMGET', line.limit, 'by', 'row', 'company', 'documents')
  if found[2] ~= line.name or found[1] ~= 'a results file' and line.state then return false end
  local company = found[3] or redis.call('HGET', ROOT .. ':call:company:' .. line.it.buyer, 'id') or ''
  fields.company, fields.documents = company ~= '' and company, (found[4] or '') ~= '' and found[4]
  fields.step = 'limit'
  return true
end

-- If an invalid line of the last import counted as this row, it counts as no row from now on.
local function leaveRow(row)
  local hash, kept = row.portfolio.hash, row.portfolio.hash .. ':lines:kept'
  if shareIn(row.tally).bucket ~= 'replaced' then unsumRow(hash, row.key, 1) end
  if redis.call('HDEL', kept, row.key) == 1 and hasUnsummed(hash) then
    keepLeftOut(hash .. ':lines:left-out', { unsummed = -1 })
  end
end

-- Writes into the history of a row who declined the import that brought it: from now on the row names another import and its approval.
local function tellWhoDeclined(line)
  local row, hash = line.row, line.portfolio.hash
  if line.state ~= 'cancelled' or not row.approval then return end
  local known = fieldsOf(approvalKey(hash, row.approval), { 'kind', 'standing', 'answeredBy', 'answeredAt', 'words' })
  if known.kind ~= 'import' or known.standing ~= 'declined' or not known.answeredAt then return end
  tell(row.hash, known.answeredAt, cjson.encode({ is = 'declined', by = known.answeredBy or '', words = known.words }))
end

-- Renews an existing row. Answers the script's answer if the row keeps its request and state, else nil.
local function renew(line)
  local it, row, state, hash = line.it, line.row, line.state, line.portfolio.hash
  tellWhoGaveUp(row)
  tellWhoDeclined(line)
  -- An invalid line of this file may have counted as this row until now.
  if redis.call('HGET', hash, 'importNumber') == it.import then leaveRow(row) end
  local goes = line.isLeftOpen and line.same and it.approval == ''
  if line.same and not goes and (state ~= 'refused' or line.rests) and state ~= 'cancelled' then
    local stays = { line = it.line, import = it.import, gen = line.gen, statements = it.statements ~= '' and it.statements }
    if line.isLeftOpen then stays.approval = it.approval end
    write(line, stays)
    return (state == 'done' or state == 'skipped' or state == 'held') and 'ended' or 'open'
  end
  local told = { is = line.same and 'imported again' or 'mended', import = it.import, from = state }
  if not line.same then told.before = shortened(line.before) end
  tell(row.hash, NOW, cjson.encode(told))
end

-- A row that no person approved comes back as it was.
local function keepAuthors(line)
  local row, state, it, hash = line.row, line.state, line.it, line.portfolio.hash
  local comesBack = state == 'cancelled' or state == 'refused' and not line.rests or line.isLeftOpen
  if not comesBack or not line.same or line.made or it.approval == '' or not row.approval or row.approval == it.approval then return end
  local standing, by, answeredAt = unpack(redis.call('HMGET', approvalKey(hash, row.approval), 'standing', 'answeredBy', 'answeredAt'))
  -- A yes is none for a row that had been given up before.
  local isBehind = state ~= 'cancelled' or tonumber(laterOf(row, 'updated') or 0) >= tonumber(answeredAt or 0)
  if standing == 'granted' and (by or '') ~= '' and isBehind then return end
  addAuthors(hash, row.approval, it.approval)
end

local function putLine(portfolio, key, it)
  if full then return full end
  if it.approval ~= '' and standingOf(portfolio.hash, it.approval) ~= 'open' then return 'closed' end
  if portfolio.archive then return archivedError(portfolio.hash) end
  local line = lineOf(portfolio, key, it)
  local why = whyNot(line)
  if why then return why end
  local row, state, waits = line.row, line.state, it.approval == '' and 'queued' or 'awaiting'
  keepAuthors(line)
  moveName(line)
  if line.old then
    change(line.old, { state = 'cancelled', was = false, answer = false, problem = it.problem, replaced = line.by })
    tell(line.old.hash, NOW, cjson.encode({ is = 'replaced', import = it.import, by = key }))
  end
  local stays = state and renew(line)
  if stays then return stays end
  local fields = withoutTries(row)
  fields.line, fields.import, fields.request, fields.step, fields.gen = it.line, it.import, it.request, it.step, line.gen
  fields.statements, fields.replaced, fields.company, fields.documents = it.statements ~= '' and it.statements, false, false, false
  if state and not line.same then
    if row.approval and row.approval ~= row.unpassed then
      countOfPeople(row, row, true, shareIn(row.tally).asked or '')
      row.unpassed = row.approval
    end
    -- A plan made for the old request must not move the row any more, so the row counts as changed now.
    fields.rev, fields.updated = string.format('%d', (row.rev or 0) + 1), NOW
    if line.buyerBefore ~= it.buyer then redis.call('HDEL', ROOT .. ':buyer:' .. line.buyerBefore .. ':rows', line.name) end
  end
  local isKnown = redis.call('HSET', line.requests, line.name, it.amount) == 0
  noteCompanyOf(line.requests, it.request)
  -- If the portfolio was cancelled since the import began, the row is cancelled too.
  local to = line.wasCancelled and 'cancelled' or waits
  if line.made then
    fields.limit, fields.record = line.call.id, line.call.record
    to = takeRecovered(line, fields) and 'done' or 'skipped'
  end
  fields.state, fields.was, fields.answer = to, false, false
  fields.approval = not line.made and it.approval ~= '' and it.approval
  -- A lost row and its limit were counted when the row first came in; a row that recover-call.lua tells of was not.
  local isBack = not state and isKnown and redis.call('HEXISTS', line.limit, 'line') == 0
  if not state and not isBack then add(portfolio.hash, 'added:' .. it.import, 1) end
  if to == 'done' and not isBack then add(portfolio.hash, 'made:limit', 1) end
  write(line, fields)
  if to ~= waits then return 'ended' end
  return state and 'renewed' or 'added'
end

local function moveOne(_, portfolio, key, it) return putLine(portfolio, key, it), true, portfolio end
-- @include items
