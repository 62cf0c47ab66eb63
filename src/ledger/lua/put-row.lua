-- Brings one line of an import into the ledger. A row nothing of whose limit call was sent takes the line's words, under
-- a new revision where they differ, so that a job of the old ones neither sends nor writes; one that was sent or made
-- keeps its own.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that would make its limit
-- ARGV[1] row key   ARGV[2] line   ARGV[3] import   ARGV[4] the request, as JSON   ARGV[5] its first step
-- ARGV[6] digest of what the line asks for   ARGV[7] how often the portfolio had been given up when the import began, or ""
-- Answers "added" | "renewed" | "open" (there and not at its end) | "settled" (there and at its end, or skipped now
-- because this request was made before) | "changed" (it asks for something else than what was sent: nothing is done)
-- @include move
-- @include cancelled
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
if state then
  local same = row[2] == ARGV[4]
  if not same and (sent or state == 'done') then return 'changed' end
  redis.call('HSET', KEYS[2], 'line', ARGV[2], 'import', ARGV[3], 'gen', gen)
  redis.call('ZADD', KEYS[1] .. ':state:' .. state, 'XX', ARGV[2], ARGV[1])
  -- An invalid line of the same file may have counted as this row; from now on this line does.
  if redis.call('HGET', KEYS[1], 'importId') == ARGV[3] then
    redis.call('HDEL', KEYS[1] .. ':lines:kept', ARGV[1])
  end
  if same then
    if state == 'done' or state == 'skipped' or state == 'held' then return 'settled' end
    if state ~= 'refused' and state ~= 'cancelled' then return 'open' end
  else
    redis.call('HINCRBY', KEYS[2], 'rev', 1)
  end
  redis.call('HDEL', KEYS[2], 'problem', 'company', 'documents', 'putOffs', 'passed', 'overtaken', 'countedAt')
  answer = 'renewed'
end
redis.call('HSET', KEYS[2], 'line', ARGV[2], 'import', ARGV[3], 'request', ARGV[4], 'step', ARGV[5], 'gen', gen)
if made then
  redis.call('HSET', KEYS[2], 'limit', call[2], 'record', call[3])
  answer = 'settled'
end
local to = made and 'skipped' or gone and 'cancelled' or 'queued'
if to == 'cancelled' then answer = 'settled' end
moveRow(KEYS[1], KEYS[2], ARGV[1], state, to, ARGV[2], now)
noteFinish(KEYS[1], now)
return answer
