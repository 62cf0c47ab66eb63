-- Brings one line of an import into the ledger. A row that was refused or cancelled is renewed by it; one that is
-- under way or at its end is left alone.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that would make its limit
-- ARGV[1] row key   ARGV[2] line   ARGV[3] import   ARGV[4] the request, as JSON   ARGV[5] its first step
-- Answers "added" | "renewed" | "open" (there and not at its end) | "settled" (there and at its end, or skipped now
-- because this request was made before)
-- @include move
local now = nowMs()
local state = redis.call('HGET', KEYS[2], 'state')
local answer = 'added'
if state then
  redis.call('HSET', KEYS[2], 'line', ARGV[2], 'import', ARGV[3])
  redis.call('ZADD', KEYS[1] .. ':state:' .. state, 'XX', ARGV[2], ARGV[1])
  if state == 'done' or state == 'skipped' or state == 'held' then return 'settled' end
  if state ~= 'refused' and state ~= 'cancelled' then return 'open' end
  redis.call('HDEL', KEYS[2], 'problem', 'company', 'documents')
  answer = 'renewed'
end
redis.call('HSET', KEYS[2], 'line', ARGV[2], 'import', ARGV[3], 'request', ARGV[4], 'step', ARGV[5])
local made = redis.call('HMGET', KEYS[3], 'id', 'record')
if made[1] then
  redis.call('HSET', KEYS[2], 'limit', made[1], 'record', made[2])
  answer = 'settled'
end
moveRow(KEYS[1], KEYS[2], ARGV[1], state, made[1] and 'skipped' or 'queued', ARGV[2], now)
noteFinish(KEYS[1], now)
return answer
