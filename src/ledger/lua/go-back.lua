-- Included where a row that waits for an approval becomes again what it was: nobody said yes, or it was given up meanwhile.
-- Comes behind move.lua.
-- @include waiting
-- @include note-cause
-- Answers the state that it has now, or nil for a row that was nothing before; it is to be tallied afterwards.
local function goBack(portfolio, row, key, line, now)
  local was = wasOf(row)
  if not was then return nil end
  moveRow(portfolio, row, key, 'awaiting', was.state, line, now)
  if was.cause then noteCause(portfolio, row, was.cause, was.known or '{}', was.cause, was.known or '{}') end
  if was.replaced then redis.call('HSET', row, 'replaced', was.replaced) end
  bindRow(row, was.approval or '')
  return was.state
end
