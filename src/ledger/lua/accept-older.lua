-- Takes Redis as it is for the truth: marks that are known anywhere else count as too old to tell from now on.
-- @keys marks
-- The marks of the account.
-- @args known
-- The number of the last mark that is known elsewhere.
-- Answers 1 where Redis was noted as older than what was sent, else 0
-- More than there can be from one such moment to the next: some ten days of seconds.
local APART = 1000000
local was = redis.call('HEXISTS', marks, 'older')
local last = math.max(tonumber(redis.call('HGET', marks, 'last') or 0), tonumber(known)) + APART
redis.call('DEL', marks, marks .. ':all')
redis.call('HSET', marks, 'last', string.format('%.0f', last), 'from', string.format('%.0f', last))
return was
