-- Included by rare-moves.lua: how rows come to wait for an approval, and how they go on with its answer.
-- The key of a call that is named "<kind> <key>".
local function callSaid(of)
  return ROOT .. ':call:' .. string.gsub(of, ' ', ':', 1)
end

-- Lets a row wait for an open approval: one that a person would send again, or whose held call a person answered. `from`: its state.
-- `answer`: the person's answer to the held call, the id of what was made or "resend". `of`: that call, as it was at `asOf`. `written`:
-- when the row was last written, as the person saw it. Each is "" for none. The row's field `was` keeps its earlier state, cause,
-- approval and replacement, as JSON.
MOVES.await = {
  goes = function(row, it)
    local portfolio = row.portfolio
    if row.state == 'awaiting' and row.approval == it.approval then return nil, 1 end
    if standingOf(portfolio.hash, it.approval) ~= 'open' or row.state ~= it.from or isReplacedRow(row) then return nil end
    if not isAsPlanned(row, it.before) or it.written ~= '' and it.written ~= laterOf(row, 'updated') then return nil end
    if not mayGoTonight(row, it.night) then return nil end
    local was = { state = row.state, approval = row.approval or nil, cause = row.cause or nil, replaced = row.replaced or nil }
    was.known = row.cause and redis.call('HGET', portfolio.hash .. ':causes', row.cause) or nil
    was.of, was.asOf = it.of ~= '' and it.of or nil, tonumber(it.asOf)
    return 'awaiting', {
      was = cjson.encode(was), answer = it.answer ~= '' and it.answer or row.answer, approval = it.approval,
      gen = tostring(portfolio.cancels), replaced = false, atNight = nightBehind(row, it.night),
    }
  end,
  besides = function(now, it, row)
    local no = it.of ~= '' and noteAnswerTo(now.portfolio.hash, callSaid(it.of), it.approval)
    if no then noteNo(now.portfolio.hash, approvalKey(now.portfolio.hash, it.approval), no) end
    tellWhoGaveUp(row)
    tellRow(now, it.told)
    notePlanned(it)
    noteNight(it.night, true)
  end,
}

local APPROVAL = { 'standing', 'kind', 'answeredBy', 'words', 'turn' }
local function approvalOf(portfolio, id)
  local approval = fieldsOf(approvalKey(portfolio.hash, id), APPROVAL)
  approval.isGranted = approval.standing == 'granted'
  approval.isAnswered = approval.isGranted or approval.standing == 'declined' or approval.standing == 'void'
  return approval
end

-- Number of the approval's rows that are not carried out. Without any, the approval leaves the list of those to carry out.
local function leftOf(portfolio, id)
  local left = redis.call('ZCARD', portfolio.hash .. ':approval:' .. id)
  if left == 0 then redis.call('ZREM', ROOT .. ':approvals:answered', portfolio.name .. '/' .. id) end
  return left
end

local function leftWithout(portfolio, key, id)
  redis.call('ZREM', portfolio.hash .. ':approval:' .. id, key)
  return leftOf(portfolio, id)
end

local function tellAnswer(row, approval)
  local is = approval.isGranted and 'approved' or 'declined'
  tellRow(row, cjson.encode({ is = is, by = approval.answeredBy or '', words = approval.words or nil }))
end

-- Writes a person's yes to the request itself, whichever row asks for it. An approval granted without a person is no yes, and takes back no
-- later refusal. A no is written as the row leaves its approval (change.lua).
local function noteYes(row, approval)
  if not approval.isGranted or row.state ~= 'queued' or (approval.answeredBy or '') == '' then return end
  local portfolio, request = row.portfolio.hash, requestOf(row.portfolio.hash, row.key)
  local declined, yes = unpack(redis.call('HMGET', request, 'declined', 'yes'))
  if tonumber(approval.turn or 0) > tonumber(yes or 0) then redis.call('HSET', request, 'yes', approval.turn) end
  if declined and not isLaterThan(portfolio, declined, approval.turn or 0) then redis.call('HDEL', request, 'declined') end
end

-- Moves a row on with the answer to its approval. A granted row is queued; a declined one is cancelled, or gets back the state that it had
-- before. Granted answers to held calls are carried out one by one instead (MOVES.goAnswered). Answers how many rows are left.
MOVES.free = {
  goes = function(row, it)
    local portfolio, approval = row.portfolio, approvalOf(row.portfolio, it.approval)
    it.known = approval
    if not approval.isAnswered or approval.isGranted and approval.kind == 'answer' then return nil, leftOf(portfolio, it.approval) end
    if row.state ~= 'awaiting' or row.approval ~= it.approval then return nil, leftWithout(portfolio, row.key, it.approval) end
    local fields = withoutTries(row)
    fields.was, fields.answer = false, false
    if approval.isGranted and not isGivenUpRow(row) then return 'queued', fields end
    local to, was = whatItWas(row, wasBefore(row))
    if to then return to, was end
    local why = (approval.answeredBy or '') == '' and 'not approved' or 'declined ' .. noOf(portfolio.hash, it.approval)
    return 'cancelled', { problem = not approval.isGranted and cjson.encode({ step = 'limit', message = why }) or row.problem }
  end,
  besides = function(now, it, row)
    local approval = it.known
    -- The rows of an import do not each repeat the answer in their histories.
    if approval.kind ~= 'import' then tellAnswer(now, approval) end
    noteYes(now, approval)
    if approval.kind == 'retry' and now.state == 'queued' then redis.call('HINCRBY', now.portfolio.hash, 'reopened', 1) end
  end,
  said = function(_, it) return leftWithout(it.portfolio, it.key, it.approval), true end,
}

-- Queues a row whose held call was answered, approved and written down. The row is not held in between, so that its portfolio never
-- counts as finished.
MOVES.goAnswered = {
  goes = function(row, it)
    local approval = approvalOf(row.portfolio, it.approval)
    it.known = approval
    if row.state ~= 'awaiting' or row.approval ~= it.approval or not approval.isGranted or isGivenUpRow(row) then return nil end
    local fields = withoutTries(row)
    fields.was, fields.answer = false, false
    return 'queued', fields
  end,
  besides = function(now, it)
    tellAnswer(now, it.known)
    redis.call('HINCRBY', now.portfolio.hash, 'reopened', 1)
    leftOf(now.portfolio, it.approval)
  end,
}

-- Holds a row again so that a granted answer to its held call can be carried out. The row stays among those of the approval until then,
-- so that another process can go on with it. Answers { state of the row now, the answer }, or {} if the row no longer belongs to the
-- approval, or the approval is not granted.
MOVES.holdAgain = {
  goes = function(row, it)
    if standingOf(row.portfolio.hash, it.approval) ~= 'granted' then return nil, {} end
    if row.approval ~= it.approval then
      leftWithout(row.portfolio, row.key, it.approval)
      return nil, {}
    end
    local to, fields = whatItWas(row, wasBefore(row))
    if not to then return nil, { row.state, row.answer or '' } end
    fields.approval, fields.answer = it.approval, row.answer
    return to, fields
  end,
  besides = function(now, it)
    redis.call('ZADD', now.portfolio.hash .. ':approval:' .. it.approval, now.line, now.key)
  end,
  said = function(row) return row and { row.state, row.answer or '' } or {}, row ~= nil end,
}

-- Takes a row whose approval is carried out out of the approval's rows. Answers how many are left.
MOVES.carriedOut = {
  goes = function(row, it)
    if row.approval == it.approval then return row.state, { answer = false } end
  end,
  said = function(_, it) return leftWithout(it.portfolio, it.key, it.approval), true end,
}
