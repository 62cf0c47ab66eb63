-- Gives a claim back, because nothing was made by this send: refused, put off by the service, or never sent.
-- KEYS[1] the call   KEYS[2] the portfolio that asked   KEYS[3] the row that asked   KEYS[4] the account
-- ARGV[1] owner   ARGV[2] "refused" | "throttled" | "unauthorized" | "unreachable" | "unsent"   ARGV[3] kind   ARGV[4] put-offs at most
-- ARGV[5] status of a refusal   ARGV[6] what the service said with it; both "" for the others   ARGV[7] revision of the row, or ""
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

local call = redis.call('HMGET', KEYS[1], 'state', 'owner', 'at')
local isHere = redis.call('HEXISTS', KEYS[2], 'archive') == 0
-- A 401 is about the token, and the call comes again with another: as good as never sent.
local isAnswered = ARGV[2] == 'refused' or ARGV[2] == 'throttled'
-- Where nobody has it any more, this was said before, and the reply was lost.
if not call[1] or call[1] == 'free' then return { 'back', 0, 0 } end
if call[2] ~= ARGV[1] or (call[1] ~= 'claimed' and call[1] ~= 'unknown') then return { 'other' } end
local late = call[1] == 'unknown' and 1 or 0
if late == 1 then takeBackDoubt(KEYS[1]) end
if ARGV[2] == 'refused' then
  redis.call('HINCRBY', KEYS[4], 'refused:' .. ARGV[3], 1)
  local time = redis.call('TIME')
  local told = { is = 'refused', kind = ARGV[3], sentMs = tonumber(call[3]), status = tonumber(ARGV[5]) }
  told.body, told.late = shortened(ARGV[6]), late == 1 or nil
  tell(KEYS[3], time[1] * 1000 + math.floor(time[2] / 1000), cjson.encode(told))
end
if ARGV[2] == 'throttled' and isHere then redis.call('HINCRBY', KEYS[2], 'calls:throttled', 1) end
if not isAnswered and isHere then redis.call('HINCRBY', KEYS[2], 'calls:' .. ARGV[3], -1) end
if isInDoubt(KEYS[1]) then
  redis.call('HSET', KEYS[1], 'state', 'unknown')
  redis.call('HDEL', KEYS[1], 'owner')
  local lost = redis.call('HMGET', KEYS[1], 'heard', 'lostAt')
  return { 'doubt', lost[1] or '', lost[2] or '' }
end
if ARGV[2] == 'refused' then
  local keeps = redis.call('HMGET', KEYS[1], 'declined', 'asks', 'yes')
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'state', 'free')
  for at, name in ipairs({ 'declined', 'asks', 'yes' }) do
    if keeps[at] then redis.call('HSET', KEYS[1], name, keeps[at]) end
  end
  noteRefusal(KEYS[3], KEYS[1], ARGV[7], ARGV[5], ARGV[6])
  return { 'back', 0, late }
end
redis.call('HSET', KEYS[1], 'state', 'free')
redis.call('HDEL', KEYS[1], 'owner')
forgetDoubts(KEYS[1])
if not isAnswered or not isHere then return { 'back', 0, late } end
local counted = redis.call('HMGET', KEYS[4], 'made:' .. ARGV[3], 'refused:' .. ARGV[3])
local passed = (counted[1] or 0) + (counted[2] or 0)
-- A supplier has no row.
local counts = redis.call('EXISTS', KEYS[3]) == 1 and KEYS[3] or KEYS[1]
local row = redis.call('HMGET', counts, 'passed', 'overtaken', 'putOffs', 'countedAt')
local now = tonumber(redis.call('TIME')[1])
local overtaken, putOffs = tonumber(row[2] or 0), tonumber(row[3] or 0)
local passedBy = row[1] and tonumber(row[1]) < passed
local isPutOff = passedBy or (overtaken >= 2 and now - (row[4] or 0) >= ALONE_EVERY_S)
if passedBy then overtaken = overtaken + 1 end
if isPutOff then putOffs = putOffs + 1 end
if overtaken >= 2 and putOffs >= tonumber(ARGV[4]) then
  redis.call('HDEL', counts, 'passed', 'overtaken', 'putOffs', 'countedAt')
  return { 'back', putOffs, late }
end
redis.call('HSET', counts, 'passed', passed, 'overtaken', overtaken, 'putOffs', putOffs, 'countedAt',
  isPutOff and now or row[4] or now)
return { 'back', passedBy and overtaken >= 2 and putOffs or 0, late }
