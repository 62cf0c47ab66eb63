-- Included by batch.lua: writes down that a call was sent and nobody knows what became of it, and when it may be sent again, where it may.
-- What is told: owner; heard, what was heard instead of an answer; sends after an unknown answer at most, and withinMs, the ms for them;
-- firstWaitMs and longestWaitMs; others, the id in an answer to somebody else's request, or "": no setting lets that be sent again
-- Answers { when it was sent, in ms, ms until it may be sent again or "" }, or {} when the claim is not this owner's (any more).
-- Repeated, or said of one that was taken for vanished already, it counts once: the call is claimed the first time only.
-- @include doubts
CALLS.doubt = function(of, it)
  local call, now = of.call, tonumber(NOW)
  local found = fieldsOf(call, { 'state', 'owner', 'at', 'againAt' })
  if found.owner ~= it.owner or (found.state ~= 'claimed' and found.state ~= 'unknown') then return {} end
  local againAt = tonumber(found.againAt or now)
  if found.state == 'claimed' then
    local doubts = noteDoubt(call, it.heard, found.at, now)
    againAt = now + math.min(it.firstWaitMs * 2 ^ (doubts - 1), tonumber(it.longestWaitMs))
  end
  redis.call('HSET', call, 'heard', it.heard, 'againAt', againAt)
  if it.others ~= '' then redis.call('HSET', call, 'others', it.others) end
  local isNever = it.others ~= '' or isUsedUp(call, it.sends, it.withinMs, now)
  return { found.at, isNever and '' or math.max(0, againAt - now) }
end
