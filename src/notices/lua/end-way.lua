-- The present time in ms by Redis' clock, which is the same for all hosts.
local function nowMs()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Ends a notice on one channel. A notice that waits on no channel expires.
-- way: the channel's name   id: the notice's id   notice, outbox, account: keys   is: "delivered" or "undelivered"
local WAYS = { 'webhook', 'mail' }
local function forgetLater(notice, keepMs)
  for _, state in ipairs(redis.call('HMGET', notice, unpack(WAYS))) do
    if state == 'waiting' or state == 'sending' then return end
  end
  redis.call('PEXPIRE', notice, keepMs)
end
local function endWay(way, id, notice, outbox, account, is, words, keepMs)
  redis.call('ZREM', outbox, id)
  redis.call('HSET', notice, way, is, way .. ':at', nowMs(), way .. ':words', words)
  redis.call('HINCRBY', account, 'notices:' .. is, '1')
  forgetLater(notice, keepMs)
end
