-- Remembers the state of a subject, and adds the notice of its change to the outbox of each channel.
-- KEYS[1] the remembered states   KEYS[2] the notice   KEYS[3] recent notices   KEYS[4] the account
-- KEYS[5 …] the outboxes of the channels that take it
-- ARGV[1] the subject   ARGV[2] the state   ARGV[3] "was " and the state on which the caller decided, or "" for any
-- ARGV[4] the notice, as JSON, or "" to only remember the state   ARGV[5] id of the notice
-- ARGV[6] ms for which an ended notice is kept   ARGV[7] number of recent notices   ARGV[8] most notices that may wait on a channel
-- ARGV[9] words for a notice beyond that   ARGV[10 …] names of the channels, in the order of their outboxes
-- Answers 1 if a notice arose, else 0; the same when repeated, since each id is used once
-- @include end-way
local subject, state, basis, notice, id, keepMs, listed, most, tooMany = unpack(ARGV, 1, 9)
local known = redis.call('HGET', KEYS[1], subject) or ''
if known == state then return redis.call('EXISTS', KEYS[2]) end
if basis ~= '' and basis ~= 'was ' .. known then return 0 end
redis.call('HSET', KEYS[1], subject, state)
if notice == '' then return 0 end
local now = nowMs()
-- The order of this notice is behind all earlier ones, even within one ms, or if the clock was set back.
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
