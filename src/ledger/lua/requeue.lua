-- Puts a row back in front of the step at which it ended: by a person who means it, past a giving up of its portfolio.
-- KEYS[1] the portfolio   KEYS[2] the row
-- ARGV[1] row key   ARGV[2] state that it must be in   ARGV[3] 1 where it passes a giving up of its portfolio
-- Answers 1, or 0 when it is in another state.
-- @include move
-- @include cancelled
local row = redis.call('HMGET', KEYS[2], 'state', 'line')
if row[1] ~= ARGV[2] then return 0 end
local now = nowMs()
moveRow(KEYS[1], KEYS[2], ARGV[1], row[1], 'queued', row[2], now)
redis.call('HDEL', KEYS[2], 'problem', 'putOffs', 'passed', 'overtaken', 'countedAt')
if ARGV[3] == '1' then redis.call('HSET', KEYS[2], 'gen', generation(KEYS[1])) end
noteFinish(KEYS[1], now)
return 1
