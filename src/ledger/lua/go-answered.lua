-- What was said of a held row's call, and approved, is written down: the row waits for its step, and belongs to its approval's rows no
-- longer. It is not held in between, so that nobody takes its portfolio for finished.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the approval   KEYS[4] its rows   KEYS[5] what was answered and is not carried out yet
-- ARGV[1] row key   ARGV[2] id of the approval   ARGV[3] the portfolio's name
-- Answers 1, or 0 where it waits no longer, or not for this, or was given up meanwhile.
-- @include archived
-- @include move
-- @include cancelled
-- @include tally
-- @include tell
-- @include waiting
local portfolio, row, approval, rows, answered = unpack(KEYS)
local key, id, name = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line', 'approval')
local known = redis.call('HMGET', approval, 'standing', 'answeredBy', 'words')
if found[1] ~= 'awaiting' or found[3] ~= id or known[1] ~= 'granted' or isCancelled(portfolio, row) then return 0 end
local now = nowMs()
tell(row, now, cjson.encode({ is = 'approved', by = known[2] or '', words = known[3] or nil }))
moveRow(portfolio, row, key, 'awaiting', 'queued', found[2], now)
bindRow(row, id)
forgetTries(row)
tallyRow(portfolio, row, key)
redis.call('ZREM', rows, key)
if redis.call('ZCARD', rows) == 0 then redis.call('ZREM', answered, name .. '/' .. id) end
redis.call('HINCRBY', portfolio, 'reopened', 1)
noteFinish(portfolio, now)
return 1
