-- Included where a call is claimed: whether it may leave under this mark. Not where Redis lacks it, or was seen to be older than what was
-- sent, nor where Redis is nearly full: who asks for a new mark then is told so. Who marks nothing says "".
-- @include has-mark
-- @include nearly-full
local leaves = {}
local function mayLeave(marks, number, link)
  if number == '' then return true end
  if leaves[number] == nil then
    leaves[number] = hasMark(marks, tonumber(number), link) and redis.call('HEXISTS', marks, 'older') == 0
      and not nearlyFull()
  end
  return leaves[number]
end
