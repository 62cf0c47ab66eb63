-- Asks for the right to make the one call that makes a thing. Nothing may be sent unless the answer is "go".
-- KEYS[1] the call   KEYS[2] the workers' signs of life   KEYS[3] the portfolio that asks   KEYS[4] the row that asks
-- ARGV[1] owner: one attempt, "<process>/<n>"   ARGV[2] row that asks, "<portfolio>/<key>"
-- ARGV[3] "hold" or "resend": what to do when an earlier outcome is unknown
-- ARGV[4] ms without a sign of life after which a process has vanished   ARGV[5] count to raise in the portfolio
-- Answers { "go", first } | { "made", id, row, record } | { "busy" } | { "unknown", heard, at } |
--         { "paused" } | { "cancelled" }, where "at" is when it was sent, in ms
-- "first" is the owner of the first of the sends whose outcome is still open: the same for every repetition.
-- Idempotent for its owner, who asks again only while it has sent nothing: the reply was lost, or came too late.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local call = redis.call('HMGET', KEYS[1], 'state', 'owner', 'id', 'row', 'record', 'heard', 'first', 'at')
local state, owner = call[1], call[2]

if state == 'made' then return { 'made', call[3], call[4] or '', call[5] or '' } end
if owner == ARGV[1] then
  redis.call('HSET', KEYS[1], 'state', 'claimed')
  return { 'go', call[7] }
end
if state == 'claimed' then
  local seen = redis.call('ZSCORE', KEYS[2], string.match(owner, '^[^/]+'))
  if seen and tonumber(seen) > now - tonumber(ARGV[4]) then return { 'busy' } end
  -- Who has given no sign lately itself has been cut off from Redis, and cannot say of others that they vanished.
  local own = redis.call('ZSCORE', KEYS[2], string.match(ARGV[1], '^[^/]+'))
  if own and tonumber(own) <= now - tonumber(ARGV[4]) then return { 'busy' } end
  call[6] = 'the process that was sending it vanished'
  if ARGV[3] == 'hold' then redis.call('HSET', KEYS[1], 'state', 'unknown', 'heard', call[6]) end
  state = 'unknown'
end
if state == 'unknown' and ARGV[3] == 'hold' then return { 'unknown', call[6] or '', call[8] or '' } end
if redis.call('HEXISTS', KEYS[3], 'paused') == 1 then return { 'paused' } end
if redis.call('HGET', KEYS[4], 'state') == 'cancelled' then return { 'cancelled' } end

redis.call('HSET', KEYS[1], 'state', 'claimed', 'owner', ARGV[1], 'row', ARGV[2], 'at', now)
redis.call('HSETNX', KEYS[1], 'first', ARGV[1])
redis.call('HINCRBY', KEYS[1], 'sends', 1)
redis.call('HINCRBY', KEYS[3], ARGV[5], 1)
return { 'go', call[7] or ARGV[1] }
