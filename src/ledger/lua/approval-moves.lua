-- Included by rare-moves.lua: how rows come to wait for an approval, and how they go as it was answered.
-- The call of which somebody says what became of it.
local function callSaid(of)
  return ROOT .. ':call:' .. string.gsub(of, ' ', ':', 1)
end

-- Lets a row that somebody would send again, or of whose call somebody says what became of it, wait for an open approval. `from` is where it
-- is, `answer` what is said of a held one's call: the id of what was made, or "resend"; `of` names that call, as it was at `asOf`, and
-- `written` is when the row that is meant was written, each "" for nothing. A row remembers in `was` what it was, as JSON: its state, its
-- cause and what is known of that, the approval that it had, and which row stood in its place.
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

-- How many rows an approval has left that are not carried out. With the last of them it is forgotten among those to carry out.
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

-- Whoever is asked for the same in other approvals has to see a no before a yes: their digest changes.
local function askAnew(portfolio, others, id)
  for other in string.gmatch(others or '', '%S+') do
    local asked = approvalKey(portfolio, other)
    if other ~= id and standingOf(portfolio, other) == 'waiting' then
      noteNo(portfolio, asked, id)
      redis.call('HINCRBY', asked, 'moves', 1)
    end
  end
end

-- What was answered stands with the request, whichever row asks for it. A sum below the limit is nobody's yes, and a no that was said later
-- is not taken back by one. A no to what was said of a call says nothing of the request.
local function noteAnswer(row, id, approval)
  local portfolio, request = row.portfolio.hash, requestOf(row.portfolio.hash, row.key)
  local known = redis.call('HMGET', request, 'state', 'declined', 'yes', 'asks')
  if approval.isGranted then
    if row.state ~= 'queued' or (approval.answeredBy or '') == '' then return end
    if tonumber(approval.turn or 0) > tonumber(known[3] or 0) then redis.call('HSET', request, 'yes', approval.turn) end
    if known[2] and not isLaterThan(portfolio, known[2], approval.turn or 0) then redis.call('HDEL', request, 'declined') end
  elseif approval.standing == 'declined' and approval.kind ~= 'answer' and isLaterThan(portfolio, id, known[3]) and known[1] ~= 'made' then
    -- It needs another approval from now on, whatever settings ask for.
    redis.call('HSET', request, 'declined', id)
    askAnew(portfolio, known[4], id)
  end
end

-- Lets a row of an approval go as that was answered: what is granted waits for its step, what is declined is given up, or is again what it
-- was before somebody asked. Answers to held calls that were granted are carried out one by one (MOVES.goAnswered), and not here.
-- Answers how many rows are left.
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
    -- Of all rows of an import none says it again.
    if approval.kind ~= 'import' then tellAnswer(now, approval) end
    noteAnswer(now, it.approval, approval)
    if approval.kind == 'retry' and now.state == 'queued' then redis.call('HINCRBY', now.portfolio.hash, 'reopened', 1) end
  end,
  said = function(_, it) return leftWithout(it.portfolio, it.key, it.approval), true end,
}

-- What was said of a held row's call, and approved, is written down: the row waits for its step. It is not held in between, so that nobody
-- takes its portfolio for finished.
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

-- An answer to a held call was granted: the row is held again, for whoever carries the answer out. It stays among the rows of the approval
-- until that is done, so that whoever comes next goes on with it. Answers { state of the row now, what was answered }, or {} where it
-- belongs to the approval no longer, or that is not granted.
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

-- What was approved of a row is carried out: it leaves the rows of the approval. Answers how many are left.
MOVES.carriedOut = {
  goes = function(row, it)
    if row.approval == it.approval then return row.state, { answer = false } end
  end,
  said = function(_, it) return leftWithout(it.portfolio, it.key, it.approval), true end,
}
