-- Gives up a row that a file of its portfolio lacks and of whose limit nothing was sent, since a person said that the file
-- replaces what was imported before. A call for its company or a document that is under way is answered, and stays known.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the call that would make its limit
-- ARGV[1] row key   ARGV[2] import of the file   ARGV[3] the problem that says so, as JSON
-- ARGV[4] which of all imports begun that of the file is
-- Answers 1, or 0 when it is in the file by now or in one whose import began later, was sent, or has ended otherwise.
-- @include move
-- @include cancelled
-- @include replaced
local row = redis.call('HMGET', KEYS[2], 'state', 'line', 'import')
local isLeft = row[1] == 'refused'
for _, open in ipairs(OPEN) do isLeft = isLeft or row[1] == open end
if not isLeft or row[3] == ARGV[2] or isSent(KEYS[3]) then return 0 end
local begun = redis.call('HGET', KEYS[1], 'begun:' .. row[3])
if begun and tonumber(begun) > tonumber(ARGV[4]) then return 0 end
local now = nowMs()
moveRow(KEYS[1], KEYS[2], ARGV[1], row[1], 'cancelled', row[2], now)
redis.call('HSET', KEYS[2], 'problem', ARGV[3])
noteReplaced(KEYS[1], KEYS[2], ARGV[2] .. ' ')
noteFinish(KEYS[1], now)
return 1
