-- Included by batch.lua: writes down that a call was sent and its outcome is unknown, and when it may be sent again, if at all.
-- Arguments: owner; heard: what came instead of a response; sends: the most sends after an unknown outcome, within withinMs;
-- firstWaitMs and longestWaitMs before a repetition; others: the id in a response to another request, or "": then no setting repeats it
-- Answers { when it was sent, in ms, ms until it may be sent again or "" }, or {} if the claim is not this owner's any more, unless the call
-- is free.
-- Repeated, or for a call that counts as abandoned already, it counts once: only a claimed call is counted.
-- A sender that was taken for vanished may send after a person let the call be sent again. Then this send is in doubt, too, also while another
-- owner sends the call: it is not sent once more without a person. So is a send whose claim Redis has lost. A process that disowns a claim
-- names no row, and knows of no send.
-- The call has the header of its last claim. Only the owner named by `first` is known to have sent that key, so another late send has none.
-- @include doubts
-- @include plain-record

-- Answers whether the call waits for nobody else's response now.
local function noteLate(of, it, found, now)
  local isOthers = found.state == 'claimed'
  local isFree = not found.state or found.state == 'free'
  if it.kind == 'session' or of.name == '/' or not (isFree or isOthers and not isInDoubt(of.call)) then return false end
  if isFree then redis.call('HSET', of.call, 'row', of.name, 'owner', it.owner) end
  -- The row of a free call went on without this send, and may have ended: nothing but a person repeats it.
  if isFree and it.kind ~= 'document' then redis.call('HSET', of.call, 'late', it.owner) end
  noteDoubt(of.call, it.heard, found.at or now, now)
  if found.first ~= it.owner then redis.call('HDEL', of.call, 'header') end
  if isFree then return true end
  redis.call('HSET', of.call, 'state', 'claimed')
  if it.others ~= '' then redis.call('HSET', of.call, 'others', it.others) end
  return false
end

CALLS.doubt = function(of, it)
  local call, now = of.call, tonumber(NOW)
  local found = fieldsOf(call, { 'state', 'owner', 'at', 'againAt', 'first', 'late' })
  local isOwn = found.owner == it.owner
  -- What came instead of a response may name a person, too.
  if isForgotten(of.portfolio.archive) then it.heard = '' end
  if isOwn and found.state ~= 'claimed' and found.state ~= 'unknown' then return {} end
  if not isOwn and not noteLate(of, it, found, now) then return {} end
  local againAt = tonumber(found.againAt or now)
  if found.state == 'claimed' then
    local doubts = noteDoubt(call, it.heard, found.at, now)
    againAt = now + math.min(it.firstWaitMs * 2 ^ (doubts - 1), tonumber(it.longestWaitMs))
  end
  redis.call('HSET', call, 'heard', it.heard, 'againAt', againAt)
  if it.others ~= '' then redis.call('HSET', call, 'others', it.others) end
  local isLate = not isOwn and it.kind ~= 'document' or found.late
  local isNever = it.others ~= '' or isLate or isUsedUp(call, it.sends, it.withinMs, now)
  return { found.at or now, isNever and '' or math.max(0, againAt - now) }
end
