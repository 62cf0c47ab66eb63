-- Included by acts.lua, behind moves.lua: what people do with rows, each for itself or as a part of a plan (`plan`, made at
-- `before`, "" for none). A row that changed since its plan was made is left as it is, and the plan counts a row in the step that moves it:
-- so the count is exact, also where a step is repeated. A move of a row of an archived portfolio answers an error that says so.
-- @include archived
-- @include note-cause
-- @include tell
-- @include above
-- @include passed
-- A refused row that goes again by an operator's rule, or comes to wait for that: its night is counted in the step that moves it. `night`
-- is "" where somebody means the row, else "<rule> <moment of the night in ms> <nights at most> <when a rule was made for the portfolio by
-- its name, in ms>". `atNight` of a row is "<nights> <moment of the last in ms> <revision>": with other words it
-- begins anew. The account's retry rules stand by their ids, and of each "<rule> last": "<moment of the night in ms> <sent> <waiting>".
local ONE_NIGHT, RULES = 43200000, ROOT .. ':retry-rules'

-- How many nights the row has had, and when the last was.
local function nightsOf(row)
  local nights, last, of = string.match(row.atNight or '', '^(%d+) (%d+) (%d+)$')
  if of ~= (row.rev or '0') then return 0 end
  return tonumber(nights), tonumber(last)
end

-- Whether the row's portfolio was put back from an archive, and nobody touched the row or made a rule for that portfolio since.
local function isForALook(row, named)
  local restored = redis.call('ZSCORE', ROOT .. ':restored', row.portfolio.name)
  return math.max(tonumber(laterOf(row, 'updated')), tonumber(named)) <= tonumber(restored or 0)
end

-- Not where the rule was removed, the portfolio paused or the row given up with it, nor where it was restored for a look; not twice a
-- night, and no more nights than it may.
local function mayGoTonight(row, night)
  if night == '' then return true end
  local rule, at, most, named = string.match(night, '^(%S+) (%d+) (%d+) (%d+)$')
  if redis.call('HEXISTS', RULES, rule) == 0 or row.portfolio.paused then return false end
  if isGivenUpRow(row) or isForALook(row, named) then return false end
  local nights, last = nightsOf(row)
  return nights < tonumber(most) and not (last and math.abs(tonumber(at) - last) < ONE_NIGHT)
end

-- What the row remembers of its nights behind this one; nothing new where somebody means it.
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

-- What a row that waits for an approval was before (MOVES.await); nil for one that was nothing before.
local function wasBefore(row)
  return row.state == 'awaiting' and row.was and cjson.decode(row.was) or nil
end

-- The state of what a row was, and what is written beside it.
local function whatItWas(row, was)
  if not was then return nil end
  local cause, known = was.cause, was.known or '{}'
  if cause then keepCause(row.portfolio.hash .. ':causes', cause, known, cause, known) end
  return was.state, { cause = cause, replaced = was.replaced, was = false, answer = false, approval = was.approval or false }
end

-- A call of the row that is under way is answered first, and its outcome counts. So does that of a limit that was made, or may have been.
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

-- Gives a row up: as a part of a plan (`from` is where it stood then), or since its portfolio was given up. What was said of a held row's
-- call is withdrawn, whatever became of that: it is held as before.
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

-- Cancels a row that a file of its portfolio lacks and of whose limit nothing was sent, since a person said that the file replaces what was
-- imported before. A call for its company or a document that is under way is answered, and stays known. Not one that the file has by now, or
-- a file whose import began later.
MOVES.leaveOut = {
  goes = function(row, it)
    local was = wasBefore(row)
    -- Also one that somebody would have sent again, whatever it was before; but what was said of a held one's call is not taken back.
    local isLeft = row.state == 'refused' or isOpen(row.state) or row.state == 'awaiting' and not (was and was.state == 'held')
    local import = laterOf(row, 'import')
    if not isLeft or import == it.import or wasSent(row) then return nil end
    local begun = redis.call('HGET', row.portfolio.hash, 'begun:' .. import)
    if begun and tonumber(begun) > tonumber(it.begun) then return nil end
    return 'cancelled', { was = false, answer = false, problem = it.problem, replaced = it.import .. ' ' }
  end,
  besides = function(now, it) tellRow(now, cjson.encode({ is = 'left out', import = it.import })) end,
}

-- Whether it may go again without another's yes: what was given up or declined, or leaves a sum above a limit, may not. The rule is the
-- account's (approval-rule.ts), or what the process itself `asks` for. A held row counts already.
local function mayPass(row, it)
  if row.state == 'held' then return true end
  local own = { above = it.above, person = it.person, days = tonumber(it.days) }
  local rule = redis.call('HMGET', KEYS[1], 'approve:above', 'approve:person', 'approve:days')
  local known = { above = rule[1] or '', person = rule[2] or '', days = tonumber(rule[3] or 0) }
  local hash = row.portfolio.hash
  return not (overOf(hash, row.hash, own, {}) or overOf(hash, row.hash, known, {}))
end

-- Puts a row back in front of the step at which it ended (`from`). Where a person means this very row, a cancellation of its portfolio does
-- not concern it any more. One in whose place another stands stays where it is. To give a row up takes it out of its approval, so one that
-- comes back needs another (MOVES.await), where any are asked for; one that was declined does in any case.
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
    -- What came back is in no plan that was made for all that was open before.
    redis.call('HINCRBY', now.portfolio.hash, 'reopened', 1)
  end,
}
-- @include approval-moves
