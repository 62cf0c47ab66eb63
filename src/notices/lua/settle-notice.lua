-- Notes the outcome of an attempt to deliver a notice on a channel, and the state of the channel.
-- KEYS[1] the channel's outbox   KEYS[2] the channel's fault   KEYS[3] the account   KEYS[4] the notice
-- ARGV[1] channel   ARGV[2] id of the notice   ARGV[3] owner of the lease   ARGV[4] "1" if delivered   ARGV[5] words   ARGV[6] receiver
-- ARGV[7] ms until the next attempt   ARGV[8] ms for which the channel pauses, "well" if it is not at fault, "" if unknown
-- ARGV[9] age in ms at which a notice is given up   ARGV[10] ms of attempts required before that
-- ARGV[11] ms for which a notice is kept that no longer waits
-- Answers "delivered" | "waiting" | "undelivered" | "other" (the lease had ended, and another process has or had the notice)
-- Repeated it answers the same.
-- @include end-way
local way, id, owner, isDelivered, words, where, waitMs, putOffMs, giveUpMs, graceMs, keepMs = unpack(ARGV)
local now = nowMs()
local state, by, told, first = unpack(redis.call('HMGET', KEYS[4], way, way .. ':owner', 'at', way .. ':first'))
if isDelivered == '1' then
  redis.call('DEL', KEYS[2])
  -- Without the lease, only a delivery is noted: it counts however late it is reported.
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
-- If the channel is at fault, all notices wait, in order: a receiver must learn that something began before it learns that it ended.
local isOwn = putOffMs == 'well'
redis.call('HSET', KEYS[4], way, 'waiting', way .. ':wait', isOwn and waitMs or 0, way .. ':at', now + waitMs)
redis.call('ZADD', KEYS[1], isOwn and now + waitMs or redis.call('HGET', KEYS[4], 'order') or told, id)
return 'waiting'
