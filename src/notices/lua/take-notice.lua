-- Takes the notice that is due first on a way, under a lease, or gives up one that is too old while the way fails.
-- KEYS[1] the way's outbox   KEYS[2] the way's fault   KEYS[3] the account
-- ARGV[1] way   ARGV[2] what the keys of notices begin with   ARGV[3] who takes it   ARGV[4] ms of the lease
-- ARGV[5] age in ms from which one is given up   ARGV[6] ms for which a way must have failed before
-- ARGV[7] words where this process has no such way, so that nothing is taken, or ""   ARGV[8] ms for which one is kept that waits no more
-- Answers {"none"} | {"later", ms} | {"undelivered", id, notice, words}
-- | {"go", id, notice, tries, failures of the way in a row, 1 where an earlier try was cut off}
-- Heard twice it takes two: the first is due again when its lease is over.
-- @include clock
-- @include end-way
local way, prefix, owner, leaseMs, giveUpMs, graceMs, lacking, keepMs = unpack(ARGV)
local now = nowMs()
-- After so many failures of a way in a row, which take more than a minute, the next notice is tried once.
local ONE_BEHIND = '4'
-- No wait is longer than it was meant to be, whatever a clock did since.
local function leftMs(untilMs, waitMs)
  local left = (tonumber(untilMs) or 0) - now
  return left > (tonumber(waitMs) or 0) and 0 or math.max(0, left)
end
local untilMs, putOffMs, since, failures, why =
  unpack(redis.call('HMGET', KEYS[2], 'until', 'wait', 'since', 'failures', 'words'))
local id, at, nextId, nextAt = unpack(redis.call('ZRANGE', KEYS[1], 0, 1, 'WITHSCORES'))
if not id then return { 'none' } end
-- The way may fail for the first alone.
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
