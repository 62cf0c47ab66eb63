-- Cancels a row that a file of its portfolio lacks and of whose limit nothing was sent, since a person said that the file
-- replaces what was imported before. A call for its company or a document that is under way is answered, and stays known.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that would make its limit
-- ARGV[1] row key   ARGV[2] import of the file   ARGV[3] the problem that says so, as JSON
-- ARGV[4] which of all imports begun that of the file is
-- Answers 1, or 0 when it is in the file by now or in one whose import began later, was sent, or has ended otherwise.
-- @include archived
-- @include move
-- @include cancelled
-- @include replaced
-- @include tally
-- @include tell
-- @include waiting
local portfolio, row, limit = unpack(KEYS)
local key, import, problem, begun = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line', 'import')
local state = found[1]
-- Also one that somebody would have sent again, whatever it was before; but what was said of a held one's call is not taken back.
local was = state == 'awaiting' and wasOf(row)
local isLeft = state and (state == 'refused' or isOpen(state) or state == 'awaiting' and not (was and was.state == 'held'))
if not isLeft or found[3] == import or isSent(limit) then return 0 end
local rowBegun = redis.call('HGET', portfolio, 'begun:' .. found[3])
if rowBegun and tonumber(rowBegun) > tonumber(begun) then return 0 end
local now = nowMs()
moveRow(portfolio, row, key, found[1], 'cancelled', found[2], now)
redis.call('HDEL', row, 'was', 'answer')
redis.call('HSET', row, 'problem', problem)
noteReplaced(row, import .. ' ')
tallyRow(portfolio, row, key)
tell(row, now, cjson.encode({ is = 'left out', import = import }))
noteFinish(portfolio, now)
return 1
