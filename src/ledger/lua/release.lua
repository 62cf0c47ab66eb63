-- Included by batch.lua: gives a claim back, because this send made nothing: it was refused, put off by the service, or never left.
-- Arguments: owner; why: "refused" | "throttled" | "unauthorized" | "unreachable" | "unsent"; status and body: the service's refusal;
-- revision of the row, or ""; mostPutOffs
-- A sender taken for vanished may still learn that nothing was made: then its send is no longer in doubt. An earlier send stays in
-- doubt, and so does the call: a response to a repetition does not tell the outcome of the earlier one.
-- A refusal deletes all fields of the call but answers to its request. The state "free" still shows that it was refused, by which rows
-- held for it go on. The row keeps the refusal until it has ended (refusal.lua), so that no other job of the row sends again.
-- Answers { "back", how often the row was put off by now if others of its kind passed since the last time, else 0, 1
-- if the outcome had been unknown, or may have been } | { "doubt", reason of the earlier send's doubt, when it was sent, in ms } | {
-- "other" } if the claim is not this owner's (any more). Being put off counts for a row only if others pass: in an outage nobody does. At
-- its beginning an outage puts off some calls and not others, so one time is not enough.
-- @include doubts
-- @include refusal
-- If no other row's call passes, that looks like an outage. Then one put-off in so many seconds counts, so that a row waits ten minutes
-- before it is given up, and a run still ends.
local ALONE_EVERY_S = 20

-- Frees a call, and deletes all its fields except people's answers to the limit request and the approvals for which that request waits.
local function forgetSends(call)
  local keeps = fieldsOf(call, { 'declined', 'asks', 'yes' })
  redis.call('DEL', call)
  redis.call('HSET', call, 'state', 'free')
  for name, value in pairs(keeps) do
    if value then redis.call('HSET', call, name, value) end
  end
end

-- Counts that the service put the row off, in the row, or in the call of a supplier, which has no row. Answers the count if others passed
-- since, else 0.
local function countPutOff(of, it)
  local counted = redis.call('HMGET', KEYS[1], 'made:' .. it.kind, 'refused:' .. it.kind)
  local passed = (counted[1] or 0) + (counted[2] or 0)
  local counts = redis.call('EXISTS', of.hash) == 1 and of.hash or of.call
  local row = fieldsOf(counts, { 'passed', 'overtaken', 'putOffs', 'countedAt' })
  local now = math.floor(NOW / 1000)
  local overtaken, putOffs = tonumber(row.overtaken or 0), tonumber(row.putOffs or 0)
  local passedBy = row.passed and tonumber(row.passed) < passed
  local isPutOff = passedBy or (overtaken >= 2 and now - (row.countedAt or 0) >= ALONE_EVERY_S)
  if passedBy then overtaken = overtaken + 1 end
  if isPutOff then putOffs = putOffs + 1 end
  if overtaken >= 2 and putOffs >= tonumber(it.mostPutOffs) then
    redis.call('HDEL', counts, 'passed', 'overtaken', 'putOffs', 'countedAt')
    return putOffs
  end
  redis.call('HSET', counts, 'passed', passed, 'overtaken', overtaken, 'putOffs', putOffs, 'countedAt', isPutOff and now or row.countedAt or now)
  return passedBy and overtaken >= 2 and putOffs or 0
end

CALLS.release = function(of, it)
  local call, portfolio = of.call, of.portfolio
  local found = fieldsOf(call, { 'state', 'owner', 'at', 'first' })
  -- A 401 concerns the token, and the call is repeated with another token. So a 401 counts neither as an answer to the call nor as a send.
  local isAnswered = it.why == 'refused' or it.why == 'throttled'
  -- A free call means that the claim was given back before, and the reply was lost. That reply may have said that the outcome had been
  -- unknown, so this answer says so too.
  if not found.state or found.state == 'free' then return { 'back', 0, 1 } end
  if found.owner ~= it.owner or (found.state ~= 'claimed' and found.state ~= 'unknown') then return { 'other' } end
  local late = found.state == 'unknown' and 1 or 0
  if late == 1 then takeBackDoubt(call) end
  if it.why == 'refused' then
    add(KEYS[1], 'refused:' .. it.kind, 1)
    local told = { is = 'refused', kind = it.kind, sentMs = tonumber(found.at), status = tonumber(it.status) }
    told.body, told.late = shortened(it.body), late == 1 or nil
    tell(of.hash, NOW, cjson.encode(told))
  end
  if it.why == 'throttled' and not portfolio.archive then add(portfolio.hash, 'calls:throttled', 1) end
  if not isAnswered and not portfolio.archive then add(portfolio.hash, 'calls:' .. it.kind, -1) end
  if isInDoubt(call) then
    -- The key was new with this send, which made nothing: no send in doubt had it.
    if found.first == it.owner then redis.call('HDEL', call, 'header') end
    redis.call('HSET', call, 'state', 'unknown')
    redis.call('HDEL', call, 'owner')
    local lost = redis.call('HMGET', call, 'heard', 'lostAt')
    return { 'doubt', lost[1] or '', lost[2] or '' }
  end
  if it.why == 'refused' and it.kind == 'session' then
    -- The call of a refused session keeps what the service said, and the session is no longer wanted: only a person asks for another one.
    redis.call('HSET', call, 'state', 'free', 'heard', it.status .. ' ' .. (portfolio.archive and '' or shortened(it.body)))
    redis.call('HDEL', call, 'owner', 'wanted')
    return { 'back', 0, late }
  end
  if it.why == 'refused' then
    forgetSends(call)
    noteRefusal(of.hash, call, it.revision, it.status, it.body)
    return { 'back', 0, late }
  end
  redis.call('HSET', call, 'state', 'free')
  redis.call('HDEL', call, 'owner')
  -- A session whose outcome had been unknown is no longer on the list of waiting sessions, so it is no longer wanted.
  if it.kind == 'session' and late == 1 then redis.call('HDEL', call, 'wanted') end
  forgetDoubts(call)
  local putOffs = isAnswered and it.kind ~= 'session' and not portfolio.archive and countPutOff(of, it) or 0
  return { 'back', putOffs, late }
end
