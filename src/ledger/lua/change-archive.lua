-- One step of a portfolio out of Redis, back into it, or towards being forgotten (archives.ts). Each may be repeated, and does nothing
-- where the portfolio is elsewhere by now.
-- @keys portfolio portfolios archives imports approvals row
-- All portfolios, those that left, its imports under way, and what the keys of approvals and of its rows begin with.
-- @args step name states …told
-- name: the portfolio's; states: all of rows, with spaces between; told: what the step takes.
-- Answers 1 where the step was taken and 0 where not, if nothing else is said of it.
-- @include move
-- @include archive-lines
local steps = {}
local archive, started, importing, finished, supplier =
  unpack(redis.call('HMGET', portfolio, 'archive', 'started', 'importing', 'finished', 'supplier'))
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

-- Of its hash these fields stay, with spaces around them.
local function leaveOnly(fields)
  for _, field in ipairs(redis.call('HKEYS', portfolio)) do
    if not string.find(fields, ' ' .. field .. ' ', 1, true) then redis.call('HDEL', portfolio, field) end
  end
end

-- Begins to archive it, if it may be: from then on nothing changes it. Takes the state that it comes into, as JSON; "" where it is only asked.
-- Answers { "begun", what it was on its way before, as JSON, or "" }, or why not:
-- { "is", where it is on its way, as JSON } | { "gone" } | { "importing" } | { "open", rows } | { "awaiting", rows } | { "held", rows }
-- | { "supplier" } (its company is still to be made) | { "interrupted" } (its last import did not come to its end) | { "unfinished" }
function steps.archive(state)
  -- Of one that was being written when its process died nothing has left Redis.
  if archive and known.is ~= 'archiving' then return { 'is', archive } end
  if not started then return { 'gone' } end
  if redis.call('ZCARD', imports) > 0 then return { 'importing' } end
  if open > 0 then return { 'open', tostring(open) } end
  for _, is in ipairs({ 'awaiting', 'held' }) do
    if inState[is] > 0 then return { is, tostring(inState[is]) } end
  end
  local company = supplier and cjson.decode(supplier)
  if company and company.body and not company.id and not company.problem then return { 'supplier' } end
  if importing then return { 'interrupted' } end
  if not finished then return { 'unfinished' } end
  if state ~= '' then redis.call('HSET', portfolio, 'archive', state) end
  return { 'begun', archive or '' }
end

-- Takes that back: nothing has left Redis. Takes the archive's id.
function steps.drop(id)
  return isUnder(id, 'archiving') and redis.call('HDEL', portfolio, 'archive') or 0
end

-- Its files are there, and are what is in Redis: it is one of those that leave. Takes the archive's id, the state, as JSON, and now, in ms.
function steps.leave(id, state, now)
  if isUnder(id, 'leaving') then return 1 end
  if not isUnder(id, 'archiving') then return 0 end
  redis.call('HSET', portfolio, 'archive', state)
  redis.call('ZREM', portfolios, name)
  redis.call('ZADD', archives, now, name)
  return 1
end

-- Takes some of its rows out, in one state. Takes the archive's id, the state, and rows at most. Answers how many it took; -1 where the portfolio
-- does not leave under this id.
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

-- Takes other keys out but its hash. Takes the archive's id, and the names of the keys in the archive (archive-lines.lua). Answers the same.
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

-- All its rows have left. Takes the same as `leave`, and the fields of its hash that stay.
function steps.archived(id, state, now, fields)
  if isUnder(id, 'archived') then return 1 end
  if not isUnder(id, 'leaving') or rows > 0 then return 0 end
  leaveOnly(fields)
  redis.call('HSET', portfolio, 'archive', state)
  redis.call('ZADD', archives, now, name)
  return 1
end

-- Begins to put it back, or goes on where that was begun before: then no longer does whoever began it. Takes the archive's id, the state,
-- as JSON, and what names this run among all there ever were.
function steps.restore(id, state, run)
  local isBegun = isUnder(id, 'restoring')
  if not isBegun and not isUnder(id, 'archived') then return 0 end
  local restoring = isBegun and known or cjson.decode(state)
  restoring.run = run
  write(restoring)
  return 1
end

-- All of it is back but its hash: that comes back too, and it is one of the account's portfolios again, at its old place. Takes the run, when
-- it was begun, in ms, how many rows it has, and the lines of its hash (archive-lines.lua). Answers -1 where other rows are there.
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

-- Begins to forget it: from now on nothing of it changes, and no list has it but that of the archives. Takes the id of this archive, where
-- there is none yet, and who asks. Answers { "go", its state as JSON }, also where it was begun before | { "forgotten", the same } | { "none" }
-- | { "archiving" }, { "leaving" }, { "restoring" } (on its way elsewhere) | { "open" } | { "held", rows }: nothing is done
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

-- Writes down what is to be said of it when nothing else is left, or that nothing else is. Takes fields of its state as a JSON object, and ""
-- or the fields of its hash that stay then. Answers its state as JSON, or "" where it is not being forgotten (any more).
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
