-- Writes down that something is about to be sent, and finds out whether Redis is older than what was sent before.
-- @keys marks
-- The marks of the account.
-- @args link number known older accepted
-- link: the new mark, or "" only to look; number: of the last mark that who asks knows, 0 for none; known: that mark; older: what is noted
-- where that mark is not here; accepted: number of the last mark that is known elsewhere, where Redis is taken as it is for the truth: marks
-- that are known anywhere else count as too old to tell from then on; or "".
-- Answers { number of the last mark }, or { number, what was noted } where Redis is older: then nothing else is written. Answers
-- { "full", bytes in use, most bytes } where Redis is nearly full: then nothing is sent, and nothing is written. Of `accepted`: 1 where Redis
-- was noted as older than what was sent, else 0.
-- Sent twice with the same words it writes one mark more at the most.
-- @include nearly-full
-- @include has-mark
local found = redis.call('HMGET', marks, 'last', 'older', 'link', 'from')
local last, noted = tonumber(found[1] or 0), found[2]
if tonumber(accepted) then
  -- More than there can be from one such moment to the next: some ten days of seconds.
  local from = string.format('%.0f', math.max(last, tonumber(accepted)) + 1000000)
  redis.call('DEL', marks, marks .. ':all')
  redis.call('HSET', marks, 'last', from, 'from', from)
  return noted and 1 or 0
end
if not noted and tonumber(number) > 0 and not hasMark(marks, tonumber(number), known) then
  noted = older
  redis.call('HSET', marks, 'older', noted)
end
if noted then return { last, noted } end
if link == '' or found[3] == link then return { last } end
local used, most = nearlyFull()
if used then return { 'full', used, most } end
redis.call('HSET', marks, 'last', string.format('%.0f', last + 1), 'link', link)
redis.call('SETRANGE', marks .. ':all', placeOf(last + 1, tonumber(found[4] or 0)), string.sub(link, 1, BYTES))
return { last + 1 }
