-- Brings one line of an import into the ledger. A row nothing of whose limit call was sent takes the line's words, under
-- a new revision where they differ, so that a job of the old ones neither sends nor writes; one that was sent or made
-- keeps its own. The row that the line is a correction of gives way to it in the same step.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that would make its limit   KEYS[4] its buyer's requests
-- KEYS[5] the row that it replaces   KEYS[6] the call that would make that one's limit; KEYS[2] and KEYS[3] for none
-- ARGV[1] row key   ARGV[2] line   ARGV[3] import   ARGV[4] the request, as JSON   ARGV[5] its first step
-- ARGV[6] digest of what the line asks for   ARGV[7] how often the portfolio had been given up when the import began, or ""
-- ARGV[8] row, "<portfolio>/<key>"   ARGV[9] the requested limit
-- ARGV[10] how many requests its buyer had when somebody looked, or "" where nobody did
-- ARGV[11] key of the row that it replaces, or ""   ARGV[12] the problem that this row has from then on, as JSON
-- ARGV[13] another buyer whose unsent request of this name the line may take over, or ""
-- Answers "added" | "renewed" | "open" (there and not at its end) | "settled" (there and at its end, or skipped now
-- because this request was made before, or done since it was this row's own in a ledger that was lost) | "changed" (it asks for something else than what was sent: nothing is done)
-- | "other" (an unsent request of another buyer has this name: nothing is done)
-- | "again" (what somebody saw of the buyer's requests is no longer so: nothing is done)
-- @include move
-- @include cancelled
-- @include replaced
-- @include recovered
local now = nowMs()
local row = redis.call('HMGET', KEYS[2], 'state', 'request')
local call = redis.call('HMGET', KEYS[3], 'state', 'id', 'record', 'asked')
local state, made = row[1], call[1] == 'made'
local sent = made or call[1] == 'claimed' or call[1] == 'unknown'
local answer = 'added'
local gen = ARGV[7] ~= '' and tonumber(ARGV[7]) or generation(KEYS[1])
-- Given up since the import began: what it still brings in is given up too.
local gone = gen < generation(KEYS[1])
-- Sent for another line, under this name but for another buyer or amount.
if sent and call[4] and call[4] ~= '' and call[4] ~= ARGV[6] then return 'changed' end
local same = state and row[2] == ARGV[4]
if state and not same and (sent or state == 'done') then return 'changed' end
-- A name that is used for another buyer is not the same request: taken over, that one would be answered to nobody.
local before = state and not same and cjson.decode(row[2]).buyer
if before and before ~= cjson.decode(ARGV[4]).buyer and before ~= ARGV[13] then return 'other' end

local old
if ARGV[11] ~= '' then
  local found = redis.call('HMGET', KEYS[5], 'state', 'line', 'replaced')
  if found[3] ~= ARGV[3] .. ' ' .. ARGV[1] then
    local ended = not found[1] or found[1] == 'done' or found[1] == 'skipped'
    if ended or isReplaced(KEYS[5]) or isSent(KEYS[6]) then return 'again' end
    old = found
  end
end
local comes = not state or state == 'cancelled'
if comes and ARGV[10] ~= '' and redis.call('HLEN', KEYS[4]) ~= tonumber(ARGV[10]) then return 'again' end
if old then
  moveRow(KEYS[1], KEYS[5], ARGV[11], old[1], 'cancelled', old[2], now)
  redis.call('HSET', KEYS[5], 'problem', ARGV[12])
  takeBackReplaced(KEYS[1], KEYS[5])
  noteReplaced(KEYS[1], KEYS[5], ARGV[3] .. ' ' .. ARGV[1])
end

if state then
  redis.call('HSET', KEYS[2], 'line', ARGV[2], 'import', ARGV[3], 'gen', gen)
  redis.call('ZADD', KEYS[1] .. ':state:' .. state, 'XX', ARGV[2], ARGV[1])
  -- An invalid line of the same file may have counted as this row; from now on this line does.
  if redis.call('HGET', KEYS[1], 'importNumber') == ARGV[3] then
    redis.call('HDEL', KEYS[1] .. ':lines:kept', ARGV[1])
  end
  local ended = state == 'done' or state == 'skipped' or state == 'held'
  if same and state ~= 'refused' and state ~= 'cancelled' then
    if old then noteFinish(KEYS[1], now) end
    return ended and 'settled' or 'open'
  end
  if not same then
    redis.call('HINCRBY', KEYS[2], 'rev', 1)
    local requests = string.gsub(KEYS[4], '[^:]+:rows$', '') .. before .. ':rows'
    if requests ~= KEYS[4] then redis.call('HDEL', requests, ARGV[8]) end
  end
  redis.call('HDEL', KEYS[2], 'problem', 'company', 'documents', 'putOffs', 'passed', 'overtaken', 'countedAt')
  takeBackReplaced(KEYS[1], KEYS[2])
  answer = 'renewed'
end
redis.call('HSET', KEYS[2], 'line', ARGV[2], 'import', ARGV[3], 'request', ARGV[4], 'step', ARGV[5], 'gen', gen)
redis.call('HSET', KEYS[4], ARGV[8], ARGV[9])
local to = made and 'skipped' or gone and 'cancelled' or 'queued'
if made then
  redis.call('HSET', KEYS[2], 'limit', call[2], 'record', call[3])
  answer = 'settled'
  to = takeRecovered(KEYS[1], KEYS[2], KEYS[3], ARGV[8], call[3]) and 'done' or to
end
if to == 'cancelled' then answer = 'settled' end
moveRow(KEYS[1], KEYS[2], ARGV[1], state, to, ARGV[2], now)
noteFinish(KEYS[1], now)
return answer
