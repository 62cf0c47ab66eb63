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
local NOW = nowText()
-- @include derive
-- @include moves
-- @include plain-settle
-- @include plain-claim
local function moveOne(move, portfolio, key, it, row)
  if move == 'claim' then
    row = row or claimant(portfolio, key)
    local isClaimed = row and plainClaim(portfolio, row, it)
    return isClaimed and 1 or 0, isClaimed, row
  end
  if move == 'settle' then
    local answer = plainSettle(portfolio, key, it)
    return answer, answer == 1
  end
  return carryOut(move, portfolio, key, it)
end

local function oneItem(name, key, moves)
  local portfolio, row, answer, isDone = portfolioOf(name), nil, nil, nil
  for place = 1, #moves, 2 do
    answer, isDone, row = moveOne(moves[place], portfolio, key, moves[place + 1], row)
    if not isDone and #moves > 2 then return answer == -1 and -1 or (place - 1) / 2 end
  end
  return #moves > 2 and #moves / 2 or answer
end

local answers, asking, at = {}, {}, 1
while at <= #ARGV do
  local name, key, moves = ARGV[at], ARGV[at + 1], {}
  local count = ARGV[at + 2] * 2
  at = at + 3
  for place = 1, count, 2 do
    moves[place] = ARGV[at]
    moves[place + 1], at = toldOf(ARGV[at], at + 1)
  end
  local isSaid, answer = pcall(oneItem, name, key, moves)
  if not isSaid then
    -- What a script of its own serves as well is left to that, which says so.
    local isOther = count > 2 or moves[1] == 'claim'
    answer = isOther and 0 or faultOf(answer)
  end
  asking[#asking + 1], answers[#answers + 1] = name, answer
end

for name, fault in pairs(writeGathered(NOW)) do
  for place, asks in ipairs(asking) do
    if asks == name then answers[place] = fault end
  end
end
return answers
