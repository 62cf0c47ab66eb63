-- Scripts for notices: remembered, sent on channels, delivered or given up. Each script of this file begins with its name.

-- @script report-state
-- Remembers the state of a subject, and adds the notice of its change to the outbox of each channel.
-- @keys states noticeKey recent account …outboxes
-- states: the remembered ones; recent: the latest notices; outboxes: of the channels that take the notice
-- @args subject state basis notice id keepMs listed most …ways
-- basis: "was " and the state on which the caller decided, or "" for any; notice: as JSON, or "" to only remember the state; keepMs: for which
-- an ended notice is kept; listed: number of recent notices; most: that may wait on a channel; ways: the channels' names, as their outboxes
-- Answers 1 if a notice arose, else 0; the same when repeated, since each id is used once
-- @include #end-way
local TOO_MANY = 'too many notices wait already to be sent this way, so this one is not sent'
local known = redis.call('HGET', states, subject) or ''
if known == state then return redis.call('EXISTS', noticeKey) end
if basis ~= '' and basis ~= 'was ' .. known then return 0 end
redis.call('HSET', states, subject, state)
if notice == '' then return 0 end
local now = nowMs()
-- The sort score of this notice is above those of all earlier ones, even within one ms, or if the clock was set back.
local last = redis.call('ZRANGE', recent, -1, -1, 'WITHSCORES')[2]
local order = string.format('%.17g', math.max(now, (last or 0) + 0.001))
redis.call('HSET', noticeKey, 'notice', notice, 'at', now, 'order', order)
redis.call('ZADD', recent, order, id)
redis.call('ZREMRANGEBYRANK', recent, 0, -1 - listed)
for place, outbox in ipairs(outboxes) do
  if redis.call('ZCARD', outbox) < tonumber(most) then
    redis.call('HSET', noticeKey, ways[place], 'waiting')
    redis.call('ZADD', outbox, order, id)
  else
    endWay(ways[place], id, noticeKey, outbox, account, 'undelivered', TOO_MANY, keepMs)
  end
end
forgetLater(noticeKey, keepMs)
return 1

-- @script take-notice
-- Takes the first due notice of a channel under a lease, or gives up one that is too old and was tried for long.
-- @keys outbox fault account
-- @args way notices lacking leaseMs giveUpMs graceMs keepMs
-- notices: the beginning of each notice's key; lacking: why this process lacks the channel, so that nothing is taken, or ""; giveUpMs: age at which a
-- notice is given up; graceMs: for which it or the channel must have failed before that; keepMs: for which an ended notice is kept
-- Answers as JSON {is: "none"} | {is: "later", inMs} | {is: "undelivered", id, notice, words}
-- | {is: "go", id, notice, tries, failures: of the channel in a row}; the notice is JSON within it
-- Repeated it takes two notices: the first is due again when its lease ends.
-- @include #end-way
local now = nowMs()
-- After this many failures of a channel in a row, over more than a minute, the second notice of its outbox is tried once, before the first.
local ONE_BEHIND = '4'
-- The ms that are left of a wait until `untilMs`: never more than the planned `waitMs`, even if the clock was set back since.
local function leftMs(untilMs, waitMs)
  local left = (tonumber(untilMs) or 0) - now
  return left > (tonumber(waitMs) or 0) and 0 or math.max(0, left)
end
local function isLongAgo(ms)
  return ms and now - ms > tonumber(graceMs)
end
local untilMs, putOffMs, since, failures, why =
  unpack(redis.call('HMGET', fault, 'until', 'wait', 'since', 'failures', 'words'))
local id, at, nextId, nextAt = unpack(redis.call('ZRANGE', outbox, 0, 1, 'WITHSCORES'))
if not id then return '{"is":"none"}' end
-- If the second notice is delivered, the first one is at fault, and not the channel.
if failures == ONE_BEHIND and nextId then id, at = nextId, nextAt end
local key = notices .. id
local notice, told, state, waitMs, first, words =
  unpack(redis.call('HMGET', key, 'notice', 'at', way, way .. ':wait', way .. ':first', way .. ':words'))
if not notice then
  redis.call('ZREM', outbox, id)
  return '{"is":"later","inMs":0}'
end
local left = math.max(leftMs(at, waitMs), leftMs(untilMs, putOffMs))
local mayEnd = now - told > tonumber(giveUpMs) and not (state == 'sending' and left > 0)
if mayEnd and (lacking ~= '' or (left > 0 and (isLongAgo(since) or isLongAgo(first)))) then
  words = lacking ~= '' and lacking or words or why
  endWay(way, id, key, outbox, account, 'undelivered', words, keepMs)
  return cjson.encode({ is = 'undelivered', id = id, notice = notice, words = words })
end
if lacking ~= '' then return '{"is":"none"}' end
if left > 0 then return cjson.encode({ is = 'later', inMs = left }) end
redis.call('ZADD', outbox, now + leaseMs, id)
redis.call('HSET', key, way, 'sending', way .. ':wait', leaseMs, way .. ':at', now)
redis.call('HSETNX', key, way .. ':first', now)
local tries = redis.call('HINCRBY', key, way .. ':tries', '1')
return cjson.encode({ is = 'go', id = id, notice = notice, tries = tries, failures = tonumber(failures) or 0 })

-- @script settle-notice
-- Notes the outcome of an attempt to deliver a notice on a channel, and the state of the channel.
-- @keys outbox fault account notice
-- @args way id tries outcome words where waitMs keepMs
-- tries: number of this attempt; outcome: "delivered", or what is at fault: "way", "notice" or "ours"; where: the receiver; waitMs: until the
-- next attempt; keepMs: for which an ended notice is kept
-- Answers nothing. Repeated it writes the same.
-- @include #end-way
local now = nowMs()
local state, latest, order, told = unpack(redis.call('HMGET', notice, way, way .. ':tries', 'order', 'at'))
if outcome == 'delivered' then
  redis.call('DEL', fault)
  -- Without the lease, only a delivery is noted: it counts however late it is reported.
  if state and state ~= 'delivered' then
    redis.call('HSET', notice, way .. ':where', where)
    endWay(way, id, notice, outbox, account, 'delivered', words, keepMs)
  end
  return
end
if state ~= 'sending' or latest ~= tries then return end
local isOwn = outcome == 'notice'
if isOwn then
  redis.call('DEL', fault)
elseif outcome == 'way' then
  redis.call('HSET', fault, 'until', now + waitMs, 'wait', waitMs, 'words', words)
  redis.call('HSETNX', fault, 'since', now)
  redis.call('HINCRBY', fault, 'failures', '1')
end
redis.call('HSET', notice, way .. ':where', where, way .. ':words', words)
redis.call('HSET', notice, way, 'waiting', way .. ':wait', isOwn and waitMs or 0, way .. ':at', now + waitMs)
-- If the channel is at fault, all its notices wait, in order: a receiver must get the notice that something began before the one that it
-- ended.
redis.call('ZADD', outbox, isOwn and now + waitMs or order or told, id)

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
