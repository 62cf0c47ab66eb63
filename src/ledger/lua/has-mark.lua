-- Included where a mark of sent calls is looked up (send-marks.ts). `<marks>:all` has the first bytes of the last 1,048,576 marks, each
-- at its own offset: 4 MB for some 300 hours of sending. So even a host that sent nothing for weeks can look up its last mark.
-- Two marks have the same first bytes with a chance of one in 16 million.
local PLACES, BYTES = 1048576, 4

local function placeOf(number, from)
  return (number - from) % PLACES * BYTES
end

-- Whether Redis has this mark. Also true if it cannot be told: the mark is older than all that are kept, or an operator accepted a Redis
-- without it.
local function hasMark(marks, number, link)
  local found = redis.call('HMGET', marks, 'last', 'from')
  local last, from = tonumber(found[1] or 0), tonumber(found[2] or 0)
  if number > last then return false end
  if number <= from or number <= last - PLACES then return true end
  local place = placeOf(number, from)
  local known = redis.call('GETRANGE', marks .. ':all', place, place + BYTES - 1)
  return string.find(known, '^%z*$') ~= nil or known == string.sub(link, 1, BYTES)
end
