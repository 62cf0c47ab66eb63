-- Takes the first due notice of a channel under a lease, or gives up one that is too old while the channel fails.
-- KEYS[1] the channel's outbox   KEYS[2] the channel's fault   KEYS[3] the account
-- ARGV[1] channel   ARGV[2] beginning of notices' keys   ARGV[3] owner of the lease   ARGV[4] ms of the lease
-- ARGV[5] age in ms at which a notice is given up   ARGV[6] ms for which the channel must have failed before that
-- ARGV[7] why this process lacks the channel, so that nothing is taken, or ""   ARGV[8] ms for which an ended notice is kept
-- Answers {"none"} | {"later", ms} | {"undelivered", id, notice, words}
-- | {"go", id, notice, attempts, failures of the channel in a row, 1 if an earlier attempt was cut off}
-- Repeated it takes two notices: the first is due again when its lease ends.
-- @include end-way
local way, prefix, owner, leaseMs, giveUpMs, graceMs, lacking, keepMs = unpack(ARGV)
local now = nowMs()
-- After this many failures of a channel in a row, which take more than a minute, the second notice is tried once.
local ONE_BEHIND = '4'
-- The rest of a wait, never longer than was planned, even if a clock was set back since.
local function leftMs(untilMs, waitMs)
  local left = (tonumber(untilMs) or 0) - now
  return left > (tonumber(waitMs) or 0) and 0 or math.max(0, left)
end
local untilMs, putOffMs, since, failures, why =
  unpack(redis.call('HMGET', KEYS[2], 'until', 'wait', 'since', 'failures', 'words'))
local id, at, nextId, nextAt = unpack(redis.call('ZRANGE', KEYS[1], 0, 1, 'WITHSCORES'))
if not id then return { 'none' } end
-- The second notice shows whether only the first one is at fault, and not the channel.
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
