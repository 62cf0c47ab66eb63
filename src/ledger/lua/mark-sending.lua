-- Writes down that something is about to be sent, and finds out whether Redis is older than what was sent before.
-- KEYS[1] the marks of the account
-- ARGV[1] the new mark, or "" only to look   ARGV[2] the number of the last mark that who asks knows, 0 for none   ARGV[3] that mark
-- ARGV[4] what is noted where that mark is not here
-- Answers { number of the last mark }, or { number, what was noted } where Redis is older: then nothing else is written. Answers
-- { "full", bytes in use, most bytes } where Redis is nearly full: then nothing is sent, and nothing is written.
-- Sent twice with the same words it writes one mark more at the most.
-- @include nearly-full
-- @include has-mark
local marks, known = KEYS[1], tonumber(ARGV[2])
local found = redis.call('HMGET', marks, 'last', 'older', 'link', 'from')
local last, noted = tonumber(found[1] or 0), found[2]
if not noted and known > 0 and not hasMark(marks, known, ARGV[3]) then
  noted = ARGV[4]
  redis.call('HSET', marks, 'older', noted)
end
if noted then return { last, noted } end
if ARGV[1] == '' or found[3] == ARGV[1] then return { last } end
local used, most = nearlyFull()
if used then return { 'full', used, most } end
redis.call('HSET', marks, 'last', string.format('%.0f', last + 1), 'link', ARGV[1])
redis.call('SETRANGE', marks .. ':all', placeOf(last + 1, tonumber(found[4] or 0)), string.sub(ARGV[1], 1, BYTES))
return { last + 1 }
