-- An answer to a held call was granted: the row is held again, for whoever carries the answer out. It stays among the rows of the
-- approval until that is done, so that whoever comes next goes on with it.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the approval   KEYS[4] its rows
-- ARGV[1] row key   ARGV[2] id of the approval
-- Answers { state of the row now, what was answered }, also repeated; or {} where it belongs to the approval no longer, or that is not
-- granted.
-- @include archived
-- @include move
-- @include tally
-- @include go-back
local portfolio, row, approval, rows = unpack(KEYS)
local key, id = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line', 'approval', 'answer')
if redis.call('HGET', approval, 'standing') ~= 'granted' then return {} end
if found[3] ~= id then
  redis.call('ZREM', rows, key)
  return {}
end
if found[1] ~= 'awaiting' then return { found[1], found[4] or '' } end
local now = nowMs()
local state = goBack(portfolio, row, key, found[2], now)
redis.call('HSET', row, 'approval', id, 'answer', found[4] or '')
tallyRow(portfolio, row, key)
redis.call('ZADD', rows, found[2], key)
noteFinish(portfolio, now)
return { state or 'awaiting', found[4] or '' }
