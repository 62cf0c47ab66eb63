-- Asks for the right to make the one call that makes a thing. Nothing may be sent unless the answer is "go".
-- KEYS[1] the call   KEYS[2] the workers' signs of life   KEYS[3] the portfolio that asks   KEYS[4] the row that asks
-- ARGV[1] owner: one attempt, "<process>/<n>"   ARGV[2] row that asks, "<portfolio>/<key>"
-- ARGV[3] "hold" or "resend": what to do when an earlier outcome is unknown
-- ARGV[4] ms without a sign of life after which a process has vanished   ARGV[5] kind   ARGV[6] key of the thing
-- ARGV[7] revision of the row that is worked on, "" where there is no row   ARGV[8] digest of what is sent
-- ARGV[9] digest of what the line asked for, or ""   ARGV[10] sends after an unknown answer at most   ARGV[11] ms for them
-- ARGV[12] ms after which a claim is disputed
-- Answers { "go", first } | { "made", id, row, record } | { "busy" } | { "later", ms } | { "unknown", heard, at } |
--         { "paused" } | { "cancelled" } | { "changed" }, where "at" is when it was sent, in ms
-- "first" is the owner of the first of the sends of this content whose outcome is open or that made nothing: the same for every repetition.
-- Idempotent for its owner, who asks again only while it has sent nothing: the reply was lost, or came too late.
-- @include cancelled
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local call = redis.call('HMGET', KEYS[1], 'state', 'owner', 'id', 'row', 'record', 'heard', 'first', 'at', 'words',
  'doubts', 'doubtAt', 'againAt')
local state, owner = call[1], call[2]

if state == 'made' then return { 'made', call[3], call[4] or '', call[5] or '' } end
if owner == ARGV[1] then
  redis.call('HSET', KEYS[1], 'state', 'claimed')
  return { 'go', call[7] }
end
if state == 'claimed' then
  local process = string.match(owner, '^[^/]+')
  local seen = redis.call('ZSCORE', KEYS[2], process)
  if seen and tonumber(seen) > now - tonumber(ARGV[4]) then
    -- Its process lives, yet may have lost it: it is asked, and answers with its next sign of life.
    if now - call[8] > tonumber(ARGV[12]) then
      local disputes = string.gsub(KEYS[2], 'workers$', 'disputes:') .. process
      redis.call('SADD', disputes, ARGV[5] .. ' ' .. owner .. ' ' .. ARGV[6])
      redis.call('EXPIRE', disputes, 3600)
    end
    return { 'busy' }
  end
  -- Who has given no sign lately itself has been cut off from Redis, and cannot say of others that they vanished.
  local own = redis.call('ZSCORE', KEYS[2], string.match(ARGV[1], '^[^/]+'))
  if own and tonumber(own) <= now - tonumber(ARGV[4]) then return { 'busy' } end
  call[6] = 'the process that was sending it vanished'
  state = 'unknown'
  redis.call('HSET', KEYS[1], 'state', state, 'heard', call[6])
end
local gone = ARGV[7] ~= '' and isCancelled(KEYS[3], KEYS[4]) or ARGV[7] == '' and isGivenUp(KEYS[3])
if state == 'unknown' then
  local usedUp = tonumber(call[10] or 0) > tonumber(ARGV[10]) or (call[11] and now - call[11] > tonumber(ARGV[11]))
  -- A row that was given up is not sent again, and may have been made all the same: a person must know.
  if ARGV[3] == 'hold' or usedUp or gone then return { 'unknown', call[6] or '', call[8] or '' } end
end
if gone then return { 'cancelled' } end
if redis.call('HEXISTS', KEYS[3], 'paused') == 1 then return { 'paused' } end
if ARGV[7] ~= '' and (redis.call('HGET', KEYS[4], 'rev') or '0') ~= ARGV[7] then return { 'changed' } end
if state == 'unknown' and call[12] and tonumber(call[12]) > now then return { 'later', call[12] - now } end

local first = call[7]
if not first or call[9] ~= ARGV[8] then first = ARGV[1] end
redis.call('HSET', KEYS[1], 'state', 'claimed', 'owner', ARGV[1], 'row', ARGV[2], 'at', now, 'first', first,
  'words', ARGV[8], 'asked', ARGV[9])
redis.call('HINCRBY', KEYS[1], 'sends', 1)
redis.call('HINCRBY', KEYS[3], 'calls:' .. ARGV[5], 1)
return { 'go', first }
