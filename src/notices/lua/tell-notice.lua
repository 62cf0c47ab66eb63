-- Remembers what something is in now, and brings the notice of that into the outbox of each way.
-- KEYS[1] the remembered states   KEYS[2] the notice   KEYS[3] notices of late   KEYS[4] the account
-- KEYS[5 …] the outboxes of the ways that take it
-- ARGV[1] what it is about   ARGV[2] the state   ARGV[3] "was " and the state by which it was decided, or "" where by none
-- ARGV[4] the notice, as JSON, or "" where the state is only remembered   ARGV[5] id of the notice
-- ARGV[6] ms for which one is kept that waits no more   ARGV[7] how many of late are listed   ARGV[8] how many may wait on a way
-- ARGV[9] words where more would   ARGV[10 …] names of the ways, in the order of their outboxes
-- Answers 1 where a notice arose, else 0; the same when it is heard twice, since an id is used once
-- @include clock
-- @include end-way
local subject, state, basis, notice, id, keepMs, listed, most, tooMany = unpack(ARGV, 1, 9)
local known = redis.call('HGET', KEYS[1], subject) or ''
if known == state then return redis.call('EXISTS', KEYS[2]) end
if basis ~= '' and basis ~= 'was ' .. known then return 0 end
redis.call('HSET', KEYS[1], subject, state)
if notice == '' then return 0 end
local now = nowMs()
-- Behind all that arose before, in the same ms too, and by a clock that went back.
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
