-- Scripts for notices: remembered, sent on channels, delivered or given up. Each script of this file begins with its name.

-- @script tell-notice
-- Remembers the state of a subject, and adds the notice of its change to the outbox of each channel.
-- KEYS[1] the remembered states   KEYS[2] the notice   KEYS[3] recent notices   KEYS[4] the account
-- KEYS[5 …] the outboxes of the channels that take it
-- ARGV[1] the subject   ARGV[2] the state   ARGV[3] "was " and the state on which the caller decided, or "" for any
-- ARGV[4] the notice, as JSON, or "" to only remember the state   ARGV[5] id of the notice
-- ARGV[6] ms for which an ended notice is kept   ARGV[7] number of recent notices   ARGV[8] most notices that may wait on a channel
-- ARGV[9] words for a notice beyond that   ARGV[10 …] names of the channels, in the order of their outboxes
-- Answers 1 if a notice arose, else 0; the same when repeated, since each id is used once
-- @include #end-way
local subject, state, basis, notice, id, keepMs, listed, most, tooMany = unpack(ARGV, 1, 9)
local known = redis.call('HGET', KEYS[1], subject) or ''
if known == state then return redis.call('EXISTS', KEYS[2]) end
if basis ~= '' and basis ~= 'was ' .. known then return 0 end
redis.call('HSET', KEYS[1], subject, state)
if notice == '' then return 0 end
local now = nowMs()
-- The sort score of this notice is above those of all earlier ones, even within one ms, or if the clock was set back.
local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2]
local order = string.format('%.17g', math.max(now, (last or 0) + 0.001))
redis.call('HSET', KEYS[2], 'notice', notice, 'at', now, 'order', order)
redis.call('ZADD', KEYS[3], order, id)
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - listed)
for place = 5, #KEYS do
  local way = ARGV[place + 5]
  if redis.call('ZCARD', KEYS[place]) < tonumber(most) then
    redis.call('HSET', KEYS[2], way, 'waiting')
    redis.call('ZADD', KEYS[place], order, id)
  else
    endWay(way, id, KEYS[2], KEYS[place], KEYS[4], 'undelivered', tooMany, keepMs)
  end
end
forgetLater(KEYS[2], keepMs)
return 1

-- @script take-notice
-- Takes the first due notice of a channel under a lease, or gives up one that is too old while the channel fails.
-- KEYS[1] the channel's outbox   KEYS[2] the channel's fault   KEYS[3] the account
-- ARGV[1] channel   ARGV[2] beginning of notices' keys   ARGV[3] owner of the lease   ARGV[4] ms of the lease
-- ARGV[5] age in ms at which a notice is given up   ARGV[6] ms for which the channel must have failed before that
-- ARGV[7] why this process lacks the channel, so that nothing is taken, or ""   ARGV[8] ms for which an ended notice is kept
-- Answers {"none"} | {"later", ms} | {"undelivered", id, notice, words}
-- | {"go", id, notice, attempts, failures of the channel in a row, 1 if an earlier attempt was cut off}
-- Repeated it takes two notices: the first is due again when its lease ends.
-- @include #end-way
local way, prefix, owner, leaseMs, giveUpMs, graceMs, lacking, keepMs = unpack(ARGV)
local now = nowMs()
-- After this many failures of a channel in a row, over more than a minute, the second notice of its outbox is tried once, before the first.
local ONE_BEHIND = '4'
-- The ms that are left of a wait until `untilMs`: never more than the planned `waitMs`, even if the clock was set back since.
local function leftMs(untilMs, waitMs)
  local left = (tonumber(untilMs) or 0) - now
  return left > (tonumber(waitMs) or 0) and 0 or math.max(0, left)
end
local untilMs, putOffMs, since, failures, why =
  unpack(redis.call('HMGET', KEYS[2], 'until', 'wait', 'since', 'failures', 'words'))
local id, at, nextId, nextAt = unpack(redis.call('ZRANGE', KEYS[1], 0, 1, 'WITHSCORES'))
if not id then return { 'none' } end
-- If the second notice is delivered, the first one is at fault, and not the channel.
if failures == ONE_BEHIND and nextId then id, at = nextId, nextAt end
local key = prefix .. id
local notice, told, state, waitMs, tries =
  unpack(redis.call('HMGET', key, 'notice', 'at', way, way .. ':wait', way .. ':tries'))
if not notice then
  redis.call('ZREM', KEYS[1], id)
  return { 'later', 0 }
end
local own, putOff = leftMs(at, waitMs), leftMs(untilMs, putOffMs)
local mayEnd = now - told > tonumber(giveUpMs) and not (state == 'sending' and own > 0)
if mayEnd and (lacking ~= '' or (putOff > 0 and now - since > tonumber(graceMs))) then
  local words = lacking ~= '' and lacking or why
  endWay(way, id, key, KEYS[1], KEYS[3], 'undelivered', words, keepMs)
  return { 'undelivered', id, notice, words }
end
if lacking ~= '' then return { 'none' } end
if own + putOff > 0 then return { 'later', math.max(own, putOff) } end
redis.call('ZADD', KEYS[1], now + leaseMs, id)
redis.call('HSET', key, way, 'sending', way .. ':wait', leaseMs, way .. ':owner', owner, way .. ':at', now)
redis.call('HSETNX', key, way .. ':first', now)
redis.call('HINCRBY', key, way .. ':tries', '1')
return { 'go', id, notice, (tonumber(tries) or 0) + 1, tonumber(failures) or 0, state == 'sending' and 1 or 0 }

-- @script settle-notice
-- Notes the outcome of an attempt to deliver a notice on a channel, and the state of the channel.
-- KEYS[1] the channel's outbox   KEYS[2] the channel's fault   KEYS[3] the account   KEYS[4] the notice
-- ARGV[1] channel   ARGV[2] id of the notice   ARGV[3] owner of the lease   ARGV[4] "1" if delivered   ARGV[5] words   ARGV[6] receiver
-- ARGV[7] ms until the next attempt   ARGV[8] ms for which the channel pauses, "well" if it is not at fault, "" if unknown
-- ARGV[9] age in ms at which a notice is given up   ARGV[10] ms of attempts required before that
-- ARGV[11] ms for which a notice is kept that no longer waits
-- Answers "delivered" | "waiting" | "undelivered" | "other" (the lease had ended, and another process has or had the notice)
-- Repeated it answers the same.
-- @include #end-way
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
-- If the channel is at fault, all its notices wait, in order: a receiver must get the notice that something began before the one that it
-- ended.
local isOwn = putOffMs == 'well'
redis.call('HSET', KEYS[4], way, 'waiting', way .. ':wait', isOwn and waitMs or 0, way .. ':at', now + waitMs)
redis.call('ZADD', KEYS[1], isOwn and now + waitMs or redis.call('HGET', KEYS[4], 'order') or told, id)
return 'waiting'

-- @script end-way
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
