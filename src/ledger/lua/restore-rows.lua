-- Puts rows of a portfolio back from lines of its archive (archive-lines.lua), byte for byte. Said again, it is the same.
-- KEYS[1] the portfolio   KEYS[2] the key of a row, less its name
-- ARGV[1] the run   ARGV[2…] the lines
-- @brings-in
-- Answers how many rows; -1 where the portfolio does not come back by this run.
-- @include archive-is
-- @include archive-lines
-- @include approvals
-- As many texts as one command is given: well below what Lua unpacks.
local TEXTS = 1000
if not isComingBack(KEYS[1], ARGV[1]) then return -1 end

local function put(command, key, cells, from, to)
  for at = from, to, TEXTS do redis.call(command, key, unpack(cells, at, math.min(at + TEXTS - 1, to))) end
end

for at = 2, #ARGV do
  local cells = decodeLine(ARGV[at])
  local row, fields = KEYS[2] .. cells[1], tonumber(cells[2])
  redis.call('UNLINK', row, row .. ':story')
  put('HSET', row, cells, 3, 2 + fields)
  put('RPUSH', row .. ':story', cells, 3 + fields, #cells)
  -- Archives of before format 5 have a person's no with the row; it belongs to the request.
  local declined, request = redis.call('HGET', row, 'declined'), requestOf(KEYS[1], cells[1])
  if declined then
    redis.call('HDEL', row, 'declined')
    if redis.call('HGET', request, 'state') ~= 'made' then redis.call('HSETNX', request, 'declined', declined) end
  end
end
return #ARGV - 1
