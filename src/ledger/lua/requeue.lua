-- Puts a row back in front of the step at which it ended. Where a person means this very row, a cancellation of its
-- portfolio does not concern it any more. One in whose place another stands stays where it is: both would be requested.
-- KEYS[1] the portfolio   KEYS[2] the row
-- ARGV[1] row key   ARGV[2] state that it must be in   ARGV[3] 1 where a person means this very row
-- Answers 1, or 0 when it is in another state, or replaced.
-- @include move
-- @include cancelled
-- @include replaced
local portfolio, row = unpack(KEYS)
local key, from, isMeant = unpack(ARGV)
local found = redis.call('HMGET', row, 'state', 'line')
if found[1] ~= from or isReplaced(row) then return 0 end
takeBackReplaced(portfolio, row)
local now = nowMs()
moveRow(portfolio, row, key, from, 'queued', found[2], now)
forgetTries(row)
if isMeant == '1' then redis.call('HSET', row, 'gen', generation(portfolio)) end
noteFinish(portfolio, now)
return 1
