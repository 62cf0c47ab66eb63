-- Puts a row back in front of the step at which it ended: by a person who means it, past a giving up of its portfolio.
-- One in whose place another stands stays where it is: both would be requested.
-- KEYS[1] the portfolio   KEYS[2] the row
-- ARGV[1] row key   ARGV[2] state that it must be in   ARGV[3] 1 where it passes a giving up of its portfolio
-- Answers 1, or 0 when it is in another state, or replaced.
-- @include move
-- @include cancelled
-- @include replaced
local row = redis.call('HMGET', KEYS[2], 'state', 'line')
if row[1] ~= ARGV[2] or isReplaced(KEYS[2]) then return 0 end
takeBackReplaced(KEYS[1], KEYS[2])
local now = nowMs()
moveRow(KEYS[1], KEYS[2], ARGV[1], row[1], 'queued', row[2], now)
redis.call('HDEL', KEYS[2], 'problem', 'putOffs', 'passed', 'overtaken', 'countedAt')
if ARGV[3] == '1' then redis.call('HSET', KEYS[2], 'gen', generation(KEYS[1])) end
noteFinish(KEYS[1], now)
return 1
