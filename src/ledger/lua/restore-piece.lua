-- Included behind archive-lines.lua where a piece of a key is put back.
local COMMANDS = { hash = 'HSET', zset = 'ZADD', set = 'SADD', list = 'RPUSH' }

local function putPiece(key, cells)
  if cells[2] == 'zset' then
    -- Redis writes member and score, and wants them the other way round.
    for at = 4, #cells, 2 do cells[at], cells[at + 1] = cells[at + 1], cells[at] end
  end
  redis.call(COMMANDS[cells[2]], key, unpack(cells, 4))
end
