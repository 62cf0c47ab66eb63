-- Asks for the right to make the one call that makes a thing. Nothing may be sent unless the answer is "go".
-- KEYS[1] the call   KEYS[2] the workers' signs of life   KEYS[3] the portfolio that asks   KEYS[4] the row that asks
-- ARGV[1] owner: one attempt, "<process>/<n>"   ARGV[2] row that asks, "<portfolio>/<key>"
-- ARGV[3] "hold", "resend" or "repeat": what to do when an earlier outcome is unknown
-- ARGV[4] ms without a sign of life after which a process has vanished   ARGV[5] kind   ARGV[6] key of the thing
-- ARGV[7] revision of the row that is worked on, "" where there is no row   ARGV[8] digest of what is sent
-- ARGV[9] digest of what the line asked for, or ""   ARGV[10] sends after an unknown answer at most   ARGV[11] ms for them
-- ARGV[12] ms after which a claim is disputed   ARGV[13] number of the mark under which it is to leave, or ""   ARGV[14] that mark
-- Answers { "go", first } | { "made", id, row, record } | { "other", id } (made, for a line that asked for something else)
--         | { "busy" } | { "later", ms } | { "unknown", heard, at } | { "awaiting" } | { "paused" } | { "cancelled" } | { "changed" }
--         | { "refused", status, what the service said } (to another job of the row, which is about to end it)
--         | { "unmarked" } (Redis is older than what was sent),
-- where "at" is when it was sent, in ms, and "first" is the owner of the first of the sends of this content whose outcome
-- is open or that made nothing: the same for every repetition.
-- Idempotent for its owner, who asks again only while it has sent nothing: the reply was lost, or came too late. What was
-- decided meanwhile holds for it too.
-- Nothing is sent for a row, or for the supplier of an import, whose approval is not granted ("awaiting"), or whose request a person
-- declined, whatever state the row is in and whoever asks, nor for a refused row ("changed"); an outcome in doubt is told all the same.
-- @include approvals
-- @include doubts
-- @include may-leave
-- @include refusal
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local call = redis.call('HMGET', KEYS[1], 'state', 'owner', 'id', 'row', 'record', 'heard', 'first', 'at', 'words',
  'againAt', 'asked', 'others')
local state, owner = call[1], call[2]

if state == 'made' then
  if ARGV[9] ~= '' and call[11] and call[11] ~= '' and call[11] ~= ARGV[9] then return { 'other', call[3] } end
  return { 'made', call[3], call[4] or '', call[5] or '' }
end
local own = owner == ARGV[1] and (state == 'claimed' or state == 'unknown')
if own and state == 'unknown' then
  -- Taken for vanished, and has sent nothing after all.
  takeBackDoubt(KEYS[1])
elseif state == 'claimed' and not own then
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
  local mine = redis.call('ZSCORE', KEYS[2], string.match(ARGV[1], '^[^/]+'))
  if mine and tonumber(mine) <= now - tonumber(ARGV[4]) then return { 'busy' } end
  noteDoubt(KEYS[1], 'the process that was sending it vanished', call[8], now)
end

-- What was claimed by this owner before is given back with every answer but "go".
local function no(...)
  if own then
    redis.call('HSET', KEYS[1], 'state', isInDoubt(KEYS[1]) and 'unknown' or 'free')
    redis.call('HDEL', KEYS[1], 'owner')
    if redis.call('HEXISTS', KEYS[3], 'archive') == 0 then redis.call('HINCRBY', KEYS[3], 'calls:' .. ARGV[5], -1) end
  end
  return { ... }
end
-- What cancelled.lua says, of fields that are read together. A supplier has no row, and is given up and approved with its import.
local ofRow = ARGV[7] ~= ''
local row = redis.call('HMGET', KEYS[4], 'state', 'gen', 'rev', 'approval', 'refusal')
local portfolio = redis.call('HMGET', KEYS[3], 'cancels', 'importGen', 'paused', 'supplierApproval', 'archive')
local gen = row[2]
if not ofRow then gen = portfolio[2] end
local gone = ofRow and row[1] == 'cancelled' or tonumber(gen or 0) < tonumber(portfolio[1] or 0)
-- Nothing is sent for a portfolio that is archived, or on its way.
if portfolio[5] then gone = true end
local approval = row[4] or not ofRow and portfolio[4]
local awaits = approval and standingOf(KEYS[3], approval) ~= 'granted'
local request = ofRow and requestOf(KEYS[3], string.match(KEYS[4], '([^:]*)$')) or KEYS[1]
awaits = awaits or declinedOf(KEYS[3], request) ~= nil
local refusedWith, refusedBody = refusalOf(row[5], KEYS[1], ARGV[7])
if refusedWith then return no('refused', refusedWith, refusedBody) end
local inDoubt = isInDoubt(KEYS[1])
if inDoubt then
  -- A row that was given up is not sent again, nor is anything else under this name; it may have been made all the same, and a
  -- person must know.
  local other = call[9] and call[9] ~= ARGV[8]
  if ARGV[3] == 'hold' or gone or awaits or other or call[12] or isUsedUp(KEYS[1], ARGV[10], ARGV[11], now) then
    local lost = redis.call('HMGET', KEYS[1], 'heard', 'lostAt')
    return no('unknown', lost[1] or '', lost[2] or '')
  end
end
if gone then return no('cancelled') end
if awaits then return no('awaiting') end
if portfolio[3] then return no('paused') end
-- Of two jobs that have a row, one heard the refusal that ended it, or is about to write that of a held one.
if ofRow and (row[1] == 'refused' or row[1] == 'held' or (row[3] or '0') ~= ARGV[7]) then return no('changed') end
if inDoubt and not own and call[10] and tonumber(call[10]) > now then return { 'later', call[10] - now } end
if not mayLeave(string.gsub(KEYS[2], 'workers$', 'marks'), ARGV[13], ARGV[14]) then return no('unmarked') end

local first = call[7]
if not first or call[9] ~= ARGV[8] then first = ARGV[1] end
redis.call('HSET', KEYS[1], 'state', 'claimed', 'owner', ARGV[1], 'row', ARGV[2], 'first', first, 'words', ARGV[8],
  'asked', ARGV[9])
if own then return { 'go', first } end
if inDoubt then
  tell(KEYS[4], now, cjson.encode({ is = 'sent again', kind = ARGV[5] }))
  -- The service may have it twice then, without ever saying so.
  if ARGV[3] == 'resend' then redis.call('HINCRBY', KEYS[3], 'resent:' .. ARGV[5], 1) end
end
redis.call('HSET', KEYS[1], 'at', now)
redis.call('HINCRBY', KEYS[1], 'sends', 1)
redis.call('HINCRBY', KEYS[3], 'calls:' .. ARGV[5], 1)
return { 'go', first }
