-- Included where a call is claimed: whether it may leave under this mark. Not where Redis lacks it, or was seen to be older than what was
-- sent. Who marks nothing says "".
-- @include has-mark
local leaves = {}
local function mayLeave(marks, number, link)
  if number == '' then return true end
  if leaves[number] == nil then
    leaves[number] = hasMark(marks, tonumber(number), link) and redis.call('HEXISTS', marks, 'older') == 0
  end
  return leaves[number]
end
