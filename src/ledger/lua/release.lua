-- Included by batch.lua: gives a claim back, because nothing was made by this send: refused, put off by the service, or never sent.
-- What is told: owner; why: "refused" | "throttled" | "unauthorized" | "unreachable" | "unsent"; status and
-- body: what the service said with a refusal; revision of the row, or ""; mostPutOffs
-- A sender that was believed vanished may still hear that nothing was made: then its send is no longer in doubt. An
-- earlier one still is, and so is the call: nothing that a repetition hears tells what became of that one.
-- A refusal forgets the sends, and nothing else: that it was refused stays known, by which rows that were held for it go on. A
-- repetition after the others is the same request still, and keeps its name. Until its row has ended by it the row has the refusal
-- (refusal.lua): no other job of the row asks again.
-- Answers { "back", how often the row was put off by now, where others of its kind passed since the time before, else 0, 1
-- where the outcome had been unknown } | { "doubt", what was heard of the earlier send, when it was sent, in ms } | { "other" } when the
-- claim is not this owner's (any more). In an outage nobody passes, so it puts off no row for itself; at its
-- beginning it puts off some of the calls that are under way and not the others, so once is not enough.
-- @include doubts
-- @include refusal
-- Where nobody else calls, it cannot be told from an outage: then one put-off in so many seconds counts, so that a row waits
-- out ten minutes of one before it is set aside, and a run ends all the same.
local ALONE_EVERY_S = 20

-- A refusal forgets all of a call but what people said of the request.
local function forgetSends(call)
  local keeps = fieldsOf(call, { 'declined', 'asks', 'yes' })
  redis.call('DEL', call)
  redis.call('HSET', call, 'state', 'free')
  for name, value in pairs(keeps) do
    if value then redis.call('HSET', call, name, value) end
  end
end

-- Counts that the service put it off; answers how often that was by now, where others passed, else 0. A supplier has no row.
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
  local found = fieldsOf(call, { 'state', 'owner', 'at' })
  -- A 401 is about the token, and the call comes again with another: as good as never sent.
  local isAnswered = it.why == 'refused' or it.why == 'throttled'
  -- Where nobody has it any more, this was said before, and the reply was lost.
  if not found.state or found.state == 'free' then return { 'back', 0, 0 } end
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
    redis.call('HSET', call, 'state', 'unknown')
    redis.call('HDEL', call, 'owner')
    local lost = redis.call('HMGET', call, 'heard', 'lostAt')
    return { 'doubt', lost[1] or '', lost[2] or '' }
  end
  if it.why == 'refused' then
    forgetSends(call)
    noteRefusal(of.hash, call, it.revision, it.status, it.body)
    return { 'back', 0, late }
  end
  redis.call('HSET', call, 'state', 'free')
  redis.call('HDEL', call, 'owner')
  forgetDoubts(call)
  local putOffs = isAnswered and not portfolio.archive and countPutOff(of, it) or 0
  return { 'back', putOffs, late }
end
