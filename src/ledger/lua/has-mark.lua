-- Included where a mark of what was sent is looked for (send-marks.ts). `<marks>:all` has the beginning of each of the last 1,048,576 marks,
-- some 300 hours of sending in 4 MB, each at its own place: so a host that sent nothing for weeks still tells. In one of 16 million cases two
-- begin alike.
local PLACES, BYTES = 1048576, 4

local function placeOf(number, from)
  return (number - from) % PLACES * BYTES
end

-- Whether this mark is here. Answers true too where nobody can tell: it is older than all that are kept, or somebody took a Redis without
-- it as it was.
local function hasMark(marks, number, link)
  local found = redis.call('HMGET', marks, 'last', 'from')
  local last, from = tonumber(found[1] or 0), tonumber(found[2] or 0)
  if number > last then return false end
  if number <= from or number <= last - PLACES then return true end
  local place = placeOf(number, from)
  local known = redis.call('GETRANGE', marks .. ':all', place, place + BYTES - 1)
  return string.find(known, '^%z*$') ~= nil or known == string.sub(link, 1, BYTES)
end
