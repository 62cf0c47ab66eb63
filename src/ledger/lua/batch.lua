-- Moves of rows and their calls at one moment: begin a step, claim a call, write down its outcome and move on. What rows share is read
-- once, and changes of sums and sets are written once.
-- KEYS[1] the account
-- ARGV and answers: items.lua, with the moves of moves.lua, claim.lua, settle.lua, release.lua and doubt.lua
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
-- @include made-ids
local NOW = nowText()
-- @include derive
-- @include moves
-- Moves of a call: each gets the keys of the call (`call`) and of its row (`hash`), the row's name, and the row if a move before has read it.
local CALLS = {}
-- @include claim
-- @include settle
-- @include release
-- @include doubt
local function moveOne(move, portfolio, key, it, row)
  if not CALLS[move] then return carryOut(move, portfolio, key, it) end
  local call, name = ROOT .. ':call:' .. it.kind .. ':' .. it.thing, portfolio.name .. '/' .. key
  local of = { call = call, portfolio = portfolio, key = key, hash = portfolio.rows .. key, name = name, row = row }
  local answer, isDone = CALLS[move](of, it)
  return answer, isDone, row
end
-- @include items
