-- Notes what came of a try to deliver a notice on a way, and how the way stands by it.
-- KEYS[1] the way's outbox   KEYS[2] the way's fault   KEYS[3] the account   KEYS[4] the notice
-- ARGV[1] way   ARGV[2] id of the notice   ARGV[3] who took it   ARGV[4] "1" where it was delivered   ARGV[5] words   ARGV[6] where to
-- ARGV[7] ms until the next try   ARGV[8] ms for which the way is left alone, "well" where the fault is not the way's, "" where nothing is known of it
-- ARGV[9] age in ms from which one is given up   ARGV[10] ms for which it must have been tried before
-- ARGV[11] ms for which one is kept that waits no more
-- Answers "delivered" | "waiting" | "undelivered" | "other" (its lease was over, and somebody else is at it or was)
-- Heard twice it finds what it did.
-- @include clock
-- @include end-way
local way, id, owner, isDelivered, words, where, waitMs, putOffMs, giveUpMs, graceMs, keepMs = unpack(ARGV)
local now = nowMs()
local state, by, told, first = unpack(redis.call('HMGET', KEYS[4], way, way .. ':owner', 'at', way .. ':first'))
if isDelivered == '1' then
  redis.call('DEL', KEYS[2])
  -- True, however late it is said.
  if state and state ~= 'delivered' then
    redis.call('HSET', KEYS[4], way .. ':where', where)
    endWay(way, id, KEYS[4], KEYS[1], KEYS[3], 'delivered', words, keepMs)
  end
  return 'delivered'
end
if by ~= owner or state ~= 'sending' then return by == owner and state or 'other' end
redis.call('HSET', KEYS[4], way .. ':where', where, way .. ':words', words)
if putOffMs == 'well' then
  redis.call('DEL', KEYS[2])
elseif putOffMs ~= '' then
  redis.call('HSET', KEYS[2], 'until', now + putOffMs, 'wait', putOffMs, 'words', words)
  redis.call('HSETNX', KEYS[2], 'since', now)
  redis.call('HINCRBY', KEYS[2], 'failures', '1')
end
if now + waitMs - told > tonumber(giveUpMs) and now - first > tonumber(graceMs) then
  endWay(way, id, KEYS[4], KEYS[1], KEYS[3], 'undelivered', words, keepMs)
  return 'undelivered'
end
-- Where the way is at fault, all wait for it, and none overtakes this one: a receiver hears that something is over behind that it began.
local isOwn = putOffMs == 'well'
redis.call('HSET', KEYS[4], way, 'waiting', way .. ':wait', isOwn and waitMs or 0, way .. ':at', now + waitMs)
redis.call('ZADD', KEYS[1], isOwn and now + waitMs or redis.call('HGET', KEYS[4], 'order') or told, id)
return 'waiting'
