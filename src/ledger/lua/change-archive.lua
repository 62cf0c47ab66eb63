-- One step of archiving, restoring or forgetting a portfolio (archives.ts). Each step may be repeated, and does nothing if the portfolio is
-- in another state by now.
-- @keys portfolio portfolios archives imports toFollow approvals row
-- Keys: portfolios: all portfolios; archives: the archived ones; imports: the portfolio's imports under way; toFollow: the portfolios whose
-- rows are to follow decisions; approvals and row: the key prefixes of approvals and of the portfolio's rows.
-- @args step name states …told
-- name: the portfolio's; states: all states of rows, with spaces between; told: the step's arguments.
-- Answers 1 if the step was taken and 0 if not, unless the step says otherwise.
-- @include move
-- @include archive-lines
local steps = {}
local archive, started, importing, finished, supplier, before =
  unpack(redis.call('HMGET', portfolio, 'archive', 'started', 'importing', 'finished', 'supplier', 'supplierBefore'))
local known = archive and cjson.decode(archive) or {}

local rows, open, inState = 0, 0, {}
for state in string.gmatch(states, '%S+') do
  local count = redis.call('ZCARD', portfolio .. ':state:' .. state)
  rows, open, inState[state] = rows + count, open + (isOpen(state) and count or 0), count
end

local function isUnder(id, is)
  return known.id == id and known.is == is
end

local function write(state)
  archive = cjson.encode(state)
  redis.call('HSET', portfolio, 'archive', archive)
  return archive
end

-- Deletes all fields of the portfolio's hash except these; `fields` has spaces around each name.
local function leaveOnly(fields)
  for _, field in ipairs(redis.call('HKEYS', portfolio)) do
    if not string.find(fields, ' ' .. field .. ' ', 1, true) then redis.call('HDEL', portfolio, field) end
  end
end

-- Begins archiving, if allowed: from then on nothing changes the portfolio. Takes the new state, as JSON, or "" to only ask.
-- Answers { "begun", its state before, as JSON, or "" }, or why not:
-- { "is", its state, as JSON } | { "gone" } | { "importing" } | { "open", rows } | { "awaiting", rows } | { "held", rows }
-- | { "approval" } (one without rows waits for a person: of a supplier) | { "supplier" } (its company is still to be made)
-- | { "doubt" } (nobody knows whether it was made)
-- | { "interrupted" } (its last import did not reach the end) | { "unfinished" }
function steps.archive(state)
  -- If a process died while it wrote the files ("archiving"), nothing has left Redis, and archiving may begin again.
  if archive and known.is ~= 'archiving' then return { 'is', archive } end
  if not started then return { 'gone' } end
  if redis.call('ZCARD', imports) > 0 then return { 'importing' } end
  if open > 0 then return { 'open', tostring(open) } end
  for _, is in ipairs({ 'awaiting', 'held' }) do
    if inState[is] > 0 then return { is, tostring(inState[is]) } end
  end
  for _, id in ipairs(redis.call('ZRANGE', portfolio .. ':approvals', 0, -1)) do
    if redis.call('HGET', approvals .. id, 'standing') == 'waiting' then return { 'approval' } end
  end
  for _, text in ipairs({ supplier or '{}', before or '{}' }) do
    local company = cjson.decode(text)
    if company.body and not company.id then
      if not company.problem then return { 'supplier' } end
      -- The call of a supplier that this portfolio gave up may be in doubt for another portfolio, so the problem is read, too.
      local call = string.match(portfolio, '^(.-):portfolio:') .. ':call:company:' .. (company.key or '')
      local isLost = string.find(company.problem, 'It is unknown whether ', 1, true) == 1
      if isLost and redis.call('HGET', call, 'state') == 'unknown' then return { 'doubt' } end
    end
  end
  if importing then return { 'interrupted' } end
  if not finished then return { 'unfinished' } end
  if state ~= '' then
    redis.call('HSET', portfolio, 'archive', state)
    -- If archiving is cancelled later, the portfolio's rows have to take over the decisions that came in meanwhile.
    redis.call('SADD', toFollow, name)
  end
  return { 'begun', archive or '' }
end

-- Takes back that archiving began: nothing has left Redis. Takes the archive's id.
function steps.drop(id)
  return isUnder(id, 'archiving') and redis.call('HDEL', portfolio, 'archive') or 0
end

-- Moves the portfolio to the archived ones, once its files match Redis. Takes the archive's id, the new state as JSON, and the time in ms.
function steps.leave(id, state, now)
  if isUnder(id, 'leaving') then return 1 end
  if not isUnder(id, 'archiving') then return 0 end
  redis.call('HSET', portfolio, 'archive', state)
  redis.call('ZREM', portfolios, name)
  redis.call('SREM', toFollow, name)
  redis.call('ZADD', archives, now, name)
  return 1
end

-- Deletes some of the portfolio's rows in one state. Takes the archive's id, the state, and the most rows. Answers how many were deleted,
-- or -1 if the portfolio is not leaving under this id.
function steps.takeRows(id, state, most)
  if not isUnder(id, 'leaving') then return -1 end
  local inState = portfolio .. ':state:' .. state
  local gone, found = {}, redis.call('ZRANGE', inState, 0, most - 1)
  for at, key in ipairs(found) do gone[at * 2 - 1], gone[at * 2] = row .. key, row .. key .. ':story' end
  if #found > 0 then
    redis.call('ZREMRANGEBYRANK', inState, 0, #found - 1)
    redis.call('UNLINK', unpack(gone))
  end
  return #found
end

-- Deletes keys of the portfolio, but not its hash. Takes the archive's id and the keys' names in the archive (archive-lines.lua). Answers
-- as takeRows.
function steps.takeKeys(id, ...)
  if not isUnder(id, 'leaving') then return -1 end
  local gone = {}
  for _, each in ipairs({ ... }) do
    local key = keyOf(each, portfolio, approvals)
    if key ~= portfolio then gone[#gone + 1] = key end
  end
  if #gone > 0 then redis.call('UNLINK', unpack(gone)) end
  return #gone
end

-- Ends archiving, once all rows are deleted. Takes the arguments of `leave`, and the fields of the portfolio's hash that stay.
function steps.archived(id, state, now, fields)
  if isUnder(id, 'archived') then return 1 end
  if not isUnder(id, 'leaving') or rows > 0 then return 0 end
  leaveOnly(fields)
  redis.call('HSET', portfolio, 'archive', state)
  redis.call('ZADD', archives, now, name)
  return 1
end

-- Begins to restore the portfolio, or takes over from an earlier run, which stops then. Takes the archive's id, the new state as JSON, and
-- the name of this run, unique for all time.
function steps.restore(id, state, run)
  local isBegun = isUnder(id, 'restoring')
  if not isBegun and not isUnder(id, 'archived') then return 0 end
  local restoring = isBegun and known or cjson.decode(state)
  restoring.run = run
  write(restoring)
  return 1
end

-- Ends restoring: writes the portfolio's hash, and lists it again at its old position. Takes the run, when the portfolio was begun, in ms,
-- its number of rows, and the lines of its hash (archive-lines.lua). Answers -1 if the number of rows in Redis differs.
function steps.restored(run, startedMs, count, ...)
  if not archive and redis.call('ZSCORE', portfolios, name) then return 1 end
  if known.is ~= 'restoring' or known.run ~= run then return 0 end
  if rows ~= tonumber(count) then return -1 end
  redis.call('DEL', portfolio)
  for _, line in ipairs({ ... }) do putPiece(portfolio, decodeLine(line)) end
  redis.call('ZADD', portfolios, startedMs, name)
  redis.call('ZREM', archives, name)
  return 1
end

-- Begins to forget the portfolio: from now on nothing changes it, and only the list of archives has it. Takes the id of its archive (a new
-- one if it has none), and who asks. Answers { "go", its state as JSON }, also if it was begun before | { "forgotten", the same }
-- | { "none" }
-- | { "archiving" }, { "leaving" }, { "restoring" } (another change is under way) | { "open" } | { "held", rows }: nothing is done
function steps.forget(id, by)
  if not started then return { 'none' } end
  local state = archive and known or { id = id, startedMs = tonumber(started), finishedMs = tonumber(finished or 0) }
  if state.is == 'forgotten' then return { 'forgotten', archive } end
  if state.is == 'forgetting' then return { 'go', archive } end
  if state.is and state.is ~= 'archived' then return { state.is } end
  if not state.is then
    if not finished or importing or redis.call('ZCARD', imports) > 0 then return { 'open' } end
    if inState.held > 0 then return { 'held', inState.held } end
  end
  state.is, state.by, state.sinceMs = 'forgetting', by, nowMs()
  write(state)
  redis.call('ZREM', portfolios, name)
  redis.call('ZADD', archives, 'NX', state.sinceMs, name)
  return { 'go', archive }
end

-- Updates the state of a portfolio being forgotten, or ends forgetting. Takes fields of the state as a JSON object. The second argument ends
-- forgetting and names the fields of the portfolio's hash that stay; with "" forgetting goes on. Answers the state as JSON, or "" if the
-- portfolio is not being forgotten (any more).
function steps.note(fields, stay)
  if known.is ~= 'forgetting' then return '' end
  for field, value in pairs(cjson.decode(fields)) do known[field] = value end
  if stay ~= '' then
    known.is, known.sinceMs = 'forgotten', nowMs()
    leaveOnly(stay)
  end
  return write(known)
end

return steps[step](unpack(told))
