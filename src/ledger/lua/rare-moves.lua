-- Included by moves.lua where one of these is asked for: what people do with rows. They say of an archived portfolio that it is.
-- @include archived
-- @include cancelled
-- @include planned
-- @include waiting
local RARE = {}

-- What a row that waits for an approval was before: its state, and what is written beside it; nothing of one that was nothing before.
local function whatItWas(row, was)
  if not was then return nil end
-- @include note-cause
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
RARE.giveUp = {
  goes = function(row, it)
    local isMeant = it.from == '' and (isOpen(row.state) or row.state == 'awaiting') and isGivenUpRow(row)
    if not (isMeant or it.from == row.state and isAsPlanned(row.hash, it.before)) then return nil end
    local was = row.state == 'awaiting' and row.was and cjson.decode(row.was)
    local busy = not (was and was.state == 'held') and callUnderWay(row, cjson.decode(it.calls), it.vanishedAfterMs)
    if busy then return nil, busy end
    local to, fields = whatItWas(row, was)
    it.did = to and 'restored' or 'cancelled'
    return to or 'cancelled', fields or {}
  end,
  besides = function(row, it)
    if it.told ~= '' then
-- @include tell
      tell(row.hash, NOW, it.told)
    end
    notePlanned(ROOT .. ':plan:' .. it.plan, it.before)
  end,
  said = function(_, it, busy) return busy or it.did or 'nothing', it.did ~= nil end,
}
