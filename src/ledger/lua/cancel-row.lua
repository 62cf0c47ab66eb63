-- Gives up a row, unless its limit has been sent already: that call is answered first, and its outcome counts.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that makes its limit
-- ARGV[1] row key
-- Answers 1, or 0 when there is nothing to give up.
-- @include move
local row = redis.call('HMGET', KEYS[2], 'state', 'line', 'step')
local state = row[1]
if state ~= 'queued' and state ~= 'company' and state ~= 'documents' and state ~= 'limit' then return 0 end
if state == 'limit' and redis.call('HGET', KEYS[3], 'state') then return 0 end
local now = nowMs()
moveRow(KEYS[1], KEYS[2], ARGV[1], state, 'cancelled', row[2], now)
noteFinish(KEYS[1], now)
return 1
