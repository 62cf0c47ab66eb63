-- Gives a claim back, because nothing was made by this send: refused, put off by the service, or never sent.
-- KEYS and ARGV: one-call.lua. What is told: owner; why: "refused" | "throttled" | "unauthorized" | "unreachable" | "unsent"; status and
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
-- @include one-call
-- @include doubts
-- @include refusal
-- Where nobody else calls, it cannot be told from an outage: then one put-off in so many seconds counts, so that a row waits
-- out ten minutes of one before it is set aside, and a run ends all the same.
local ALONE_EVERY_S = 20

local call = redis.call('HMGET', CALL, 'state', 'owner', 'at')
local isHere = redis.call('HEXISTS', PORTFOLIO, 'archive') == 0
-- A 401 is about the token, and the call comes again with another: as good as never sent.
local isAnswered = it.why == 'refused' or it.why == 'throttled'
-- Where nobody has it any more, this was said before, and the reply was lost.
if not call[1] or call[1] == 'free' then return { 'back', 0, 0 } end
if call[2] ~= it.owner or (call[1] ~= 'claimed' and call[1] ~= 'unknown') then return { 'other' } end
local late = call[1] == 'unknown' and 1 or 0
if late == 1 then takeBackDoubt(CALL) end
if it.why == 'refused' then
  redis.call('HINCRBY', KEYS[1], 'refused:' .. it.kind, 1)
  local time = redis.call('TIME')
  local told = { is = 'refused', kind = it.kind, sentMs = tonumber(call[3]), status = tonumber(it.status) }
  told.body, told.late = shortened(it.body), late == 1 or nil
  tell(ROW, time[1] * 1000 + math.floor(time[2] / 1000), cjson.encode(told))
end
if it.why == 'throttled' and isHere then redis.call('HINCRBY', PORTFOLIO, 'calls:throttled', 1) end
if not isAnswered and isHere then redis.call('HINCRBY', PORTFOLIO, 'calls:' .. it.kind, -1) end
if isInDoubt(CALL) then
  redis.call('HSET', CALL, 'state', 'unknown')
  redis.call('HDEL', CALL, 'owner')
  local lost = redis.call('HMGET', CALL, 'heard', 'lostAt')
  return { 'doubt', lost[1] or '', lost[2] or '' }
end
if it.why == 'refused' then
  local keeps = redis.call('HMGET', CALL, 'declined', 'asks', 'yes')
  redis.call('DEL', CALL)
  redis.call('HSET', CALL, 'state', 'free')
  for at, name in ipairs({ 'declined', 'asks', 'yes' }) do
    if keeps[at] then redis.call('HSET', CALL, name, keeps[at]) end
  end
  noteRefusal(ROW, CALL, it.revision, it.status, it.body)
  return { 'back', 0, late }
end
redis.call('HSET', CALL, 'state', 'free')
redis.call('HDEL', CALL, 'owner')
forgetDoubts(CALL)
if not isAnswered or not isHere then return { 'back', 0, late } end
local counted = redis.call('HMGET', KEYS[1], 'made:' .. it.kind, 'refused:' .. it.kind)
local passed = (counted[1] or 0) + (counted[2] or 0)
-- A supplier has no row.
local counts = redis.call('EXISTS', ROW) == 1 and ROW or CALL
local row = redis.call('HMGET', counts, 'passed', 'overtaken', 'putOffs', 'countedAt')
local now = tonumber(redis.call('TIME')[1])
local overtaken, putOffs = tonumber(row[2] or 0), tonumber(row[3] or 0)
local passedBy = row[1] and tonumber(row[1]) < passed
local isPutOff = passedBy or (overtaken >= 2 and now - (row[4] or 0) >= ALONE_EVERY_S)
if passedBy then overtaken = overtaken + 1 end
if isPutOff then putOffs = putOffs + 1 end
if overtaken >= 2 and putOffs >= tonumber(it.mostPutOffs) then
  redis.call('HDEL', counts, 'passed', 'overtaken', 'putOffs', 'countedAt')
  return { 'back', putOffs, late }
end
redis.call('HSET', counts, 'passed', passed, 'overtaken', overtaken, 'putOffs', putOffs, 'countedAt',
  isPutOff and now or row[4] or now)
return { 'back', passedBy and overtaken >= 2 and putOffs or 0, late }
