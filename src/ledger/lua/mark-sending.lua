-- Writes a mark before something is sent, and finds out whether Redis is older than what was sent before.
-- @keys marks
-- @args link number known older accepted
-- link: the new mark, or "" to only check; number: of the last mark that the caller knows, 0 for none; known: that mark; older: the note
-- to write if that mark is missing; accepted: "" normally. With the number of the last mark known elsewhere, Redis is accepted as the truth
-- as it is: older marks then count as too old to check.
-- Answers { number of the last mark }, or { number, note } if Redis is older: then no mark is written.
-- Answers { "full", bytes in use, most bytes } if Redis is nearly full: then nothing is sent or written. To `accepted`: { 1 if Redis had
-- been noted as older than what was sent, else 0, how many hosted sessions are held for that }.
-- A hosted session that waits in an older Redis may have been sent since. Once Redis is accepted it would be sent again by itself, so
-- nobody knows what became of it, and only a person asks for another.
-- Repeated with the same mark it writes at most one mark.
-- @include nearly-full
-- @include has-mark
local function holdSessions()
  local root, held = string.match(marks, '^(.*):marks$'), 0
  for _, wish in ipairs(redis.call('ZRANGE', root .. ':sessions', 0, -1)) do
    local call = root .. ':call:session:' .. string.match(wish, '[^ ]+$')
    local state, wanted = unpack(redis.call('HMGET', call, 'state', 'wanted'))
    if state == 'free' and wanted then
      redis.call('HSET', call, 'state', 'unknown', 'open', 1, 'doubts', 1, 'heard', 'Redis was older than what was sent')
      redis.call('ZREM', root .. ':sessions', wish)
      held = held + 1
    end
  end
  return held
end

local found = redis.call('HMGET', marks, 'last', 'older', 'link', 'from')
local last, noted = tonumber(found[1] or 0), found[2]
if tonumber(accepted) then
  -- The numbers of marks jump ahead by a million. A process with an older mark could reach this number only after eleven days, at one mark
  -- a second.
  local from = string.format('%.0f', math.max(last, tonumber(accepted)) + 1000000)
  redis.call('DEL', marks, marks .. ':all')
  redis.call('HSET', marks, 'last', from, 'from', from)
  return { noted and 1 or 0, noted and holdSessions() or 0 }
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
