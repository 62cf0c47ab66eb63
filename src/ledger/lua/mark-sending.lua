-- Writes down that something is about to be sent, and finds out whether Redis is older than what was sent before.
-- KEYS[1] the marks of the account
-- ARGV[1] the new mark, or "" only to look   ARGV[2] the number of the last mark that who asks knows, 0 for none   ARGV[3] that mark
-- ARGV[4] what is noted where that mark is not here
-- Answers { number of the last mark }, or { number, what was noted } where Redis is older: then nothing else is written. Answers
-- { "full", bytes in use, most bytes } where Redis is nearly full: then nothing is sent, and nothing is written.
-- Sent twice with the same words it writes one mark more at the most.
-- @include nearly-full
local marks, known = KEYS[1], tonumber(ARGV[2])
-- So many marks are kept, of one second each. Of an older one nobody can tell any more whether it was here.
local KEPT = 4096

local last = tonumber(redis.call('HGET', marks, 'last') or 0)
local noted = redis.call('HGET', marks, 'older')
if not noted and known > 0 then
  local mark = redis.call('HGET', marks, ARGV[2])
  if known > last or mark and mark ~= ARGV[3] then
    noted = ARGV[4]
    redis.call('HSET', marks, 'older', noted)
  end
end
if noted then return { last, noted } end
if ARGV[1] == '' or redis.call('HGET', marks, tostring(last)) == ARGV[1] then return { last } end
local used, most = nearlyFull()
if used then return { 'full', used, most } end
local number = string.format('%.0f', last + 1)
redis.call('HSET', marks, 'last', number, number, ARGV[1])
redis.call('HDEL', marks, string.format('%.0f', last + 1 - KEPT))
return { last + 1 }
