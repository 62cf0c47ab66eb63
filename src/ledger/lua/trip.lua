-- What rows ask of the ledger at one moment, in one trip: to begin a step, to claim a call, to write down that one was made and move on.
-- One alone is a trip of one. What the rows share is read once, and what they change of sums and sets is written once.
-- KEYS[1] the account
-- ARGV of each item: portfolio, row key, how many moves; of each move its name and what it is told (schema.ts)
-- Answers for each item of one move what that says (moves.lua), of several how many were done one behind the other; -1 where the call was
-- written down by this very owner before. A claim or a settling that is out of the ordinary is answered by 0, with nothing done of it, and
-- is then asked of claim.lua or settle.lua. Where a portfolio's sets are damaged, the error is the answer to each item of that
-- portfolio, and to no other.
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
-- @include made-ids
-- @include may-leave
-- @include tell
local NOW = nowText()
-- @include derive
-- @include moves
-- @include plain-settle
-- @include plain-claim
local function claimOne(portfolio, key, it, row)
  row = row or rowOf(portfolio, key)
  local isClaimed = row ~= nil and plainClaim(portfolio, row, it)
  return isClaimed and 1 or 0, isClaimed, row
end

local function settleOne(portfolio, key, it)
  local answer = plainSettle(portfolio, key, it)
  return answer, answer == 1
end

local function moveOne(name, portfolio, key, it, row)
  if name == 'claim' then return claimOne(portfolio, key, it, row) end
  if name == 'settle' then return settleOne(portfolio, key, it) end
  return carryOut(MOVES[name], portfolio, key, it)
end

local function oneItem(portfolio, key, moves)
  local row, answer, isDone
  for place, move in ipairs(moves) do
    answer, isDone, row = moveOne(move.name, portfolio, key, move.it, row)
    if not isDone and #moves > 1 then return answer == -1 and -1 or place - 1 end
  end
  return #moves > 1 and #moves or answer
end

local answers, asking, at = {}, {}, 1
while at <= #ARGV do
  local name, key, count, moves = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), {}
  at = at + 3
  for place = 1, count do
    local move = ARGV[at]
    moves[place] = { name = move, it = TOLD[move](at + 1) }
    at = at + 1 + COUNT[move]
  end
  local isSaid, answer = pcall(function() return oneItem(portfolioOf(name), key, moves) end)
  if not isSaid then
    -- What a script of its own serves as well is left to that, which says so.
    local isOther = count > 1 or moves[1].name == 'claim'
    answer = isOther and 0 or type(answer) == 'table' and answer or { err = 'ERR ' .. tostring(answer) }
  end
  asking[#asking + 1], answers[#answers + 1] = name, answer
end

for name, fault in pairs(writeGathered(NOW)) do
  for place, asks in ipairs(asking) do
    if asks == name then answers[place] = fault end
  end
end
return answers
