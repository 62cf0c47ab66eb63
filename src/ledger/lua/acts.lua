-- What people do with rows, and how rows come to wait for an approval and go on with its answer: several moves at one moment.
-- KEYS[1] the account
-- ARGV and answers: items.lua, with the moves of rare-moves.lua and approval-moves.lua. A move of a row of an archived portfolio answers
-- an error.
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
local NOW = nowText()
-- @include derive
-- @include moves
-- @include rare-moves
local function moveOne(move, portfolio, key, it)
  local archived = archivedError(portfolio.hash)
  if archived then error(archived) end
  it.portfolio, it.key = portfolio, key
  return carryOut(move, portfolio, key, it)
end
-- @include items
