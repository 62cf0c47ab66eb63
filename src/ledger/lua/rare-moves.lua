-- Included by acts.lua, behind moves.lua: what people do with rows, singly or as part of a plan (`plan`, made at `before`, "" for none). A
-- row that changed since its plan was made stays. The step that moves a row also counts it in the plan, so the count is exact even if a
-- step is repeated. A move of a row of an archived portfolio answers an error.
-- @include archived
-- @include note-cause
-- @include tell
-- @include above
-- @include passed
-- Nightly retries of refused rows by an operator's rule. The step that moves the row, or lets it wait for an approval, counts its night.
-- `night` is "" for a person's retry, else "<rule> <due time of the night in ms> <most nights> <when a rule last named the portfolio, ms>".
-- `atNight` of a row is "<nights> <due time of the last in ms> <revision>"; another revision begins anew.
-- RULES has the account's rules by id, and for each "<rule> last": "<due time of the night in ms> <sent> <waiting>".
local ONE_NIGHT, RULES = 43200000, ROOT .. ':retry-rules'

-- The number of the row's nights, and the due time of the last.
local function nightsOf(row)
  local nights, last, of = string.match(row.atNight or '', '^(%d+) (%d+) (%d+)$')
  if of ~= (row.rev or '0') then return 0 end
  return tonumber(nights), tonumber(last)
end

-- Whether the portfolio was restored from its archive, and since then neither the row changed nor a rule named the portfolio.
local function isForALook(row, named)
  local restored = redis.call('ZSCORE', ROOT .. ':restored', row.portfolio.name)
  return math.max(tonumber(laterOf(row, 'updated')), tonumber(named)) <= tonumber(restored or 0)
end

-- Whether a rule may send the row tonight. Not if the rule was deleted, the portfolio is paused, cancelled or only restored to look at it;
-- only once a night, and for no more nights than allowed.
local function mayGoTonight(row, night)
  if night == '' then return true end
  local rule, at, most, named = string.match(night, '^(%S+) (%d+) (%d+) (%d+)$')
  if redis.call('HEXISTS', RULES, rule) == 0 or row.portfolio.paused then return false end
  if isGivenUpRow(row) or isForALook(row, named) then return false end
  local nights, last = nightsOf(row)
  return nights < tonumber(most) and not (last and math.abs(tonumber(at) - last) < ONE_NIGHT)
end

-- The row's `atNight` after this night; unchanged for a person's retry.
local function nightBehind(row, night)
  if night == '' then return row.atNight end
  return (nightsOf(row) + 1) .. ' ' .. string.match(night, '^%S+ (%d+) ') .. ' ' .. (row.rev or '0')
end

local function noteNight(night, waits)
  if night == '' then return end
  local rule, at = string.match(night, '^(%S+) (%d+) ')
  local last, sent, waiting = string.match(redis.call('HGET', RULES, rule .. ' last') or '', '^(%d+) (%d+) (%d+)$')
  if last ~= at then sent, waiting = 0, 0 end
  redis.call('HSET', RULES, rule .. ' last', at .. ' ' .. sent + (waits and 0 or 1) .. ' ' .. waiting + (waits and 1 or 0))
end

local function isAsPlanned(row, before)
  return before == '' or tonumber(laterOf(row, 'updated') or 0) < tonumber(before)
end

local function notePlanned(it)
  if it.before ~= '' then redis.call('HINCRBY', ROOT .. ':plan:' .. it.plan, 'done', 1) end
end

local function tellRow(row, told)
  if told ~= '' then tell(row.hash, NOW, told) end
end

-- What a row was before it waited for an approval, as MOVES.await kept it: its state, its cause, and others of its fields. nil if nothing
-- was kept.
local function wasBefore(row)
  return row.state == 'awaiting' and row.was and cjson.decode(row.was) or nil
end

-- The state that a row had before it waited for an approval (`was`, from wasBefore), and the fields to write with it. A row that was given up
-- keeps the approval that it leaves, since that one has all who asked for the row, and its earlier one may have got a yes to other rows.
local function whatItWas(row, was)
  if not was then return nil end
  local cause, known = was.cause, was.known or '{}'
  if cause then keepCause(row.portfolio.hash .. ':causes', cause, known, cause, known) end
  local approval = was.state == 'cancelled' and was.approval and row.approval or was.approval or false
  return was.state, { cause = cause, replaced = was.replaced, was = false, answer = false, approval = approval }
end

-- Whether a call keeps a row from being given up: a call in flight is answered first, and its outcome counts; so does a limit that was made
-- or may have been. Answers "under way", "left" if the sender has vanished, or nil.
local function callUnderWay(row, calls, vanishedAfterMs)
  local name = row.portfolio.name .. '/' .. row.key
  for _, of in ipairs(calls) do
    local call = redis.call('HMGET', ROOT .. ':call:' .. of[1] .. ':' .. of[2], 'state', 'owner', 'row')
    if call[3] == name and call[1] == 'claimed' then
      local seen = redis.call('ZSCORE', ROOT .. ':workers', string.match(call[2], '^[^/]+'))
      return seen and tonumber(seen) > NOW - vanishedAfterMs and 'under way' or 'left'
    end
    if call[3] == name and of[2] == row.key and of[1] == 'limit' and (call[1] == 'unknown' or call[1] == 'made') then return 'under way' end
  end
end

-- Gives a row up: as part of a plan (`from` is its state then), or because its portfolio was given up. A row that waits for the approval of
-- an answer to its held call is held again; the answer is withdrawn.
MOVES.giveUp = {
  goes = function(row, it)
    local isMeant = it.from == '' and (isOpen(row.state) or row.state == 'awaiting') and isGivenUpRow(row)
    if not (isMeant or it.from == row.state and isAsPlanned(row, it.before)) then return nil, 'nothing' end
    local was = wasBefore(row)
    local busy = not (was and was.state == 'held') and callUnderWay(row, cjson.decode(it.calls), it.vanishedAfterMs)
    if busy then return nil, busy end
    local to, fields = whatItWas(row, was)
    it.did = to and 'restored' or 'cancelled'
    return to or 'cancelled', fields or {}
  end,
  besides = function(now, it)
    tellRow(now, it.told)
    notePlanned(it)
  end,
  said = function(_, it) return it.did or 'nothing', it.did ~= nil end,
}

-- Cancels a row for which a later file has no valid line, if its limit was never sent. Calls in flight for its company or documents are still
-- answered and kept; a person's answer to one of unknown outcome is withdrawn. Not if the file has the row by now, or the row is of an import
-- that began later.
MOVES.leaveOut = {
  goes = function(row, it)
    local was = wasBefore(row)
    -- A limit that is held was sent, even if the ledger lost its call.
    local isHeld = row.state == 'held' or was and was.state == 'held'
    local isLeft = isHeld and row.step ~= 'limit' or not isHeld and (row.state == 'refused' or isOpen(row.state) or row.state == 'awaiting')
    local import = laterOf(row, 'import')
    if not isLeft or import == it.import or wasSent(row) then return nil end
    local begun = redis.call('HGET', row.portfolio.hash, 'begun:' .. import)
    if begun and tonumber(begun) > tonumber(it.begun) then return nil end
    return 'cancelled', { was = false, answer = false, problem = it.problem, replaced = it.import .. ' ' }
  end,
  besides = function(now, it) tellRow(now, cjson.encode({ is = 'left out', import = it.import })) end,
}

-- Whether a row may be sent again without an approval: not if that would raise a sum above its limit, by the account's rule
-- (approval-rule.ts) or by that of the process which asks (`it`). A held row may always be sent again, since the sums contain it already.
local function mayPass(row, it)
  if row.state == 'held' then return true end
  local own = { above = it.above, person = it.person, days = tonumber(it.days) }
  local rule = redis.call('HMGET', KEYS[1], 'approve:above', 'approve:person', 'approve:days')
  local known = { above = rule[1] or '', person = rule[2] or '', days = tonumber(rule[3] or 0) }
  local hash = row.portfolio.hash
  return not (overOf(hash, row.hash, own, {}) or overOf(hash, row.hash, known, {}))
end

-- Queues a row again at the step at which it ended (`from` is its state). If a person chose this very row, an earlier cancellation of its
-- portfolio no longer concerns it. A replaced row stays. A cancelled row lost its approval, so it needs another (MOVES.await) if
-- approvals are asked for; a declined request needs one in any case.
MOVES.requeue = {
  goes = function(row, it)
    local hash = row.portfolio.hash
    if row.state ~= it.from or isReplacedRow(row) or not isAsPlanned(row, it.before) then return nil end
    if declinedOf(hash, requestOf(hash, row.key)) or not mayGoTonight(row, it.night) then return nil end
    local rule = redis.call('HMGET', KEYS[1], 'approve:always', 'approve:above', 'approve:person')
    local isAsked, fields = it.asks == '1' or rule[1] == 'on' or rule[2] or rule[3], withoutTries(row)
    if row.approval and (it.from == 'cancelled' or standingOf(hash, row.approval) ~= 'granted') then
      if isAsked then return nil end
      fields.was, fields.answer, fields.approval = false, false, false
    end
    if isAsked and not mayPass(row, it) then return nil end
    fields.replaced, fields.atNight = false, nightBehind(row, it.night)
    if it.isMeant == '1' then fields.gen, fields.refusal = tostring(row.portfolio.cancels), false end
    return 'queued', fields
  end,
  besides = function(now, it, row)
    tellWhoGaveUp(row)
    tellRow(now, it.told)
    notePlanned(it)
    noteNight(it.night, false)
    -- A plan that gives up a whole portfolio covers the rows that were open when it was made. The count tells the plan that another row is
    -- open since.
    redis.call('HINCRBY', now.portfolio.hash, 'reopened', 1)
  end,
}

-- A time in ISO 8601 with ms, UTC, in ms since 1970; nil for any other text. Years are counted from March, so that a leap year's day is the
-- last of its year.
local function msOf(at)
  local year, month, day, hour, minute, second = string.match(at, '^(%d+)%-(%d+)%-(%d+)T(%d+):(%d+):(%d+%.%d+)Z$')
  if not year then return nil end
  local y, m = year - (month < '03' and 1 or 0), (month + 9) % 12
  local days = 365 * y + math.floor(y / 4) - math.floor(y / 100) + math.floor(y / 400) + math.floor((153 * m + 2) / 5) + day - 719469
  return math.floor((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + 0.5)
end

-- Lets a row take over what later decisions of the service say of its limit (decide.lua). The row's history keeps each decision, what was
-- said before, and who brought the decision. That may be somebody else than who lets the row follow.
-- An empty `told` changes nothing, and the answer says whether the row could follow.
-- A decision that says something new is also listed, with a number, until people are told of it (`decided`).
-- Answers "follows", "same", or "not made" if the row's limit is another one.
MOVES.follow = {
  goes = function(row, it)
    local call = redis.call('HMGET', requestOf(row.portfolio.hash, row.key), 'id', 'record', 'decided')
    if not isGrantedState(row.state) or row.limit ~= it.limit or call[1] ~= it.limit then return nil, 'not made' end
    if it.told == '' then return nil, 'same' end
    local _, now = pcall(cjson.decode, call[2] or '{}')
    local _, record = pcall(cjson.decode, row.record or '{}')
    if type(now) ~= 'table' or type(record) ~= 'table' then return nil, 'not made' end
    if not now.decided_at or (record.decided_at or '') >= now.decided_at then return nil, 'same' end
    it.said, it.entries = now, takeDecisions(record, now, call[3], cjson.decode(it.told))
    local fields = { record = cjson.encode(record) }
    if #it.entries > 0 then fields.updated, fields.since = NOW, row.since or laterOf(row, 'updated') end
    return row.state, fields, { granted = now.total_limit, available = now.available_limit, status = now.status }
  end,
  besides = function(now, it, was)
    if #it.entries == 0 then return end
    for _, entry in ipairs(it.entries) do tellKnown(now.hash, NOW, entry) end
    local name = now.portfolio.name .. '/' .. now.key
    local news = { row = name, status = it.said.status, total = it.said.total_limit, atMs = tonumber(NOW) }
    local number = redis.call('HINCRBY', KEYS[1], 'decided', 1)
    stand(now.portfolio, ROOT .. ':decided', number, number .. ' ' .. cjson.encode(news))
    noteAnswer(now, math.min(tonumber(NOW), msOf(it.said.decided_at) or NOW), was)
  end,
  said = function(row, it) return row and it.said and (#it.entries > 0 and 'follows' or 'same') or 'not made', it.said ~= nil end,
}
-- @include approval-moves
