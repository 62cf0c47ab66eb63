-- What rows ask of the ledger at one moment, in one batch: to begin a step, to claim a call, to write down what became of one and move on.
-- One alone is a batch of one. What the rows share is read once, and what they change of sums and sets is written once.
-- KEYS[1] the account
-- ARGV and answers: items.lua, of the moves in moves.lua, claim.lua, settle.lua, release.lua and doubt.lua
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
-- @include made-ids
local NOW = nowText()
-- @include derive
-- @include moves
-- What is asked of a call: of its key (`call`), its row's (`hash`) and its row's name, and of the row, where a move before has read it.
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
