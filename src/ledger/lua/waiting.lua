-- Included where it counts what a row was before it waited for an approval (approval-moves.lua).
-- @include approvals
local function wasOf(row)
  local was = redis.call('HGET', row, 'was')
  return was and cjson.decode(was) or nil
end
