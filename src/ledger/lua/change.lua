-- Scripts that change rows include this file, after derive.lua. No other file writes a row, or the sets and sums that count the row.
-- @include approvals
-- @include people-passed
-- @include left-out

-- The field `awaits` of a row is "<approval>|<requested>": what the row adds to its approval. A change takes the old value off and adds the
-- new one, so an approval always covers what its rows are now, however often a script runs. `moves` of the approval counts these changes.
-- An approval without rows waits for nobody: it becomes "void".
local function countInApproval(portfolio, id, sign, limbs)
  local approval = approvalKey(portfolio, id)
  redis.call('HINCRBY', approval, 'moves', 1)
  for k, limb in pairs(limbs or {}) do redis.call('HINCRBY', approval, 'sum:rows:' .. k, sign * limb) end
  if not limbs then redis.call('HINCRBY', approval, 'unreadable', sign) end
  return redis.call('HINCRBY', approval, 'rows', sign)
end

-- Takes the approval `id` off those that a request waits for, and adds the approval `joins` if that is given.
local function setAsks(request, id, joins)
  local ids = {}
  for one in string.gmatch(redis.call('HGET', request, 'asks') or '', '%S+') do
    if one ~= id then ids[#ids + 1] = one end
  end
  ids[#ids + 1] = joins
  if #ids > 0 then redis.call('HSET', request, 'asks', table.concat(ids, ' ')) else redis.call('HDEL', request, 'asks') end
end

-- Adds a row to its approval. `limbs`: the amount `requested` as amounts.lua reads it.
local function joinApproval(portfolio, row, key, line, id, requested, limbs)
  countInApproval(portfolio, id, 1, limbs)
  redis.call('ZADD', portfolio .. ':approval:' .. id, line, key)
  redis.call('HSET', row, 'awaits', id .. '|' .. requested)
  -- A person's answer to a held call neither approves nor declines the row's request, so the request does not wait for it.
  local approval, request = approvalKey(portfolio, id), requestOf(portfolio, key)
  if redis.call('HGET', approval, 'kind') ~= 'answer' then
    local no = declinedOf(portfolio, request)
    if no then noteNo(portfolio, approval, no) end
    setAsks(request, id, id)
  end
end

-- Notes the refusal `id` on other approvals that wait for the same request, so that a person has to see it before saying yes.
local function askAnew(portfolio, others, id)
  for other in string.gmatch(others or '', '%S+') do
    local asked = approvalKey(portfolio, other)
    if other ~= id and standingOf(portfolio, other) == 'waiting' then
      noteNo(portfolio, asked, id)
      redis.call('HINCRBY', asked, 'moves', 1)
    end
  end
end

-- Writes the refusal `id` to a request whose row leaves that approval, for whatever reason: the row may be given up before the refusal is
-- carried out. From now on the request needs another approval, whatever the settings ask for. A refusal of an answer to a held call says
-- nothing of the request.
local function keepNo(portfolio, request, id)
  local standing, kind = unpack(redis.call('HMGET', approvalKey(portfolio, id), 'standing', 'kind'))
  if standing ~= 'declined' or kind == 'answer' then return end
  local known = redis.call('HMGET', request, 'state', 'yes', 'asks')
  if known[1] == 'made' or not isLaterThan(portfolio, id, known[2]) then return end
  redis.call('HSET', request, 'declined', id)
  askAnew(portfolio, known[3], id)
end

local function leaveApproval(portfolio, row, key, awaits)
  local id, requested = string.match(awaits, '^([^|]*)|(.*)$')
  local request = requestOf(portfolio, key)
  redis.call('ZREM', portfolio .. ':approval:' .. id, key)
  redis.call('HDEL', row, 'awaits')
  setAsks(request, id)
  keepNo(portfolio, request, id)
  local left = countInApproval(portfolio, id, -1, limbsOf(requested))
  if left > 0 or standingOf(portfolio, id) ~= 'waiting' then return end
  local root, name = string.match(portfolio, '^(.-):portfolio:(.*)$')
  redis.call('HSET', approvalKey(portfolio, id), 'standing', 'void')
  redis.call('ZREM', root .. ':approvals', name .. '/' .. id)
  -- The approval is listed among those to carry out, so that the supplier that it names, if any, is given up.
  redis.call('ZADD', root .. ':approvals:answered', 0, name .. '/' .. id)
end

local function countOfApproval(row, now, awaits, asked)
  local hash = row.portfolio.hash
  if row.awaits then leaveApproval(hash, row.hash, row.key, row.awaits) end
  if awaits then joinApproval(hash, row.hash, row.key, now.line, now.approval, asked, limbsOf(asked)) end
end

local function countOfPeople(row, now, isOut, asked)
  countRow(row.portfolio.hash, row.hash, now.approval, isOut, asked)
end

-- Fields about a row's attempts at its present step, such as its problem. They mean nothing at the row's next step.
local TRIES = { 'problem', 'cause', 'putOffs', 'passed', 'overtaken', 'countedAt' }
local function withoutTries(row)
  -- The table names the fields that most moves write, so that Lua need not enlarge it later.
  local fields = { state = nil, updated = nil, step = nil, tally = nil, company = nil, limit = nil }
  for at = 1, #TRIES do
    if row[TRIES[at]] then fields[TRIES[at]] = false end
  end
  return fields
end

-- Whether another row replaces this row, since a line corrected it: then the corrected row must not be requested too. The field `replaced`
-- is "<import> <key>", with an empty key if a replacing file only lacked the row's line.
local function isReplacedRow(row)
  return row.replaced and string.match(row.replaced, ' (.*)$') ~= ''
end

local function changesOf(row, fields)
  local put, gone = {}, nil
  for name, value in next, fields do
    if value ~= (row[name] or false) then
      if value then
        put[#put + 1], put[#put + 2] = name, value
      else
        gone = gone or {}
        gone[#gone + 1] = name
      end
    end
  end
  return put, gone
end

-- Writes `fields` (false deletes) and what follows from them: other fields, and the moves between sets and sums. `given`: the service's
-- response, if known without the row's record. `asked` and `side`: values that replace those in the row's tally. Answers the row as it is
-- now.
local function change(row, fields, given, asked, side)
  local now, was = setmetatable(fields, row), shareIn(row.tally)
  local isMoved = now.state ~= row.state
  if isMoved then
    fields.updated = NOW
    if row.since then fields.since = false end
    if isStepState(now.state) then fields.step = now.state end
    if row.refusal and (now.state == 'refused' or now.state == 'cancelled') then fields.refusal = false end
  end
  if row.cause and not isFailedState(now.state) then fields.cause = false end
  local base = (asked or side) and { side = side or was.side, asked = asked or was.asked } or was
  local is = nextShare(now, base, given)
  fields.tally = is.tally
  local awaits = now.state == 'awaiting' and now.approval and now.approval .. '|' .. is.asked or false
  -- A write that may fail, if its key is damaged, comes first, so that the row is not written in that case.
  if is.status and searchLevel(row.portfolio) then statusColumns(row.portfolio, is.status) end
  local put, gone = changesOf(row, fields)
  if #put > 0 then redis.call('HSET', row.hash, unpack(put)) end
  if gone then redis.call('HDEL', row.hash, unpack(gone)) end
  movePlaces(row, now, was, is)
  local isOut = is.bucket == 'replaced'
  if isOut ~= (was.bucket == 'replaced') then unsumRow(row.portfolio.hash, row.key, isOut and 1 or -1) end
  if awaits ~= (row.awaits or false) then
    countOfApproval(row, now, awaits, is.asked)
  elseif awaits and row.line ~= now.line then
    redis.call('ZADD', row.portfolio.hash .. ':approval:' .. now.approval, now.line, row.key)
  end
  if now.approval and now.state ~= 'awaiting' then
    local isOut = isOutState(now.state)
    if isOut ~= (row.unpassed == now.approval) then countOfPeople(row, now, isOut, is.asked) end
  end
  if isMoved then
    if isOpen(now.state) then row.portfolio.opens = true else row.portfolio.ends = true end
  end
  return now
end
