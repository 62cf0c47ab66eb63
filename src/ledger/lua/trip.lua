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
local CARRY = {
  claim = function(portfolio, key, it, row)
    row = row or claimant(portfolio, key)
    local isClaimed = row ~= nil and plainClaim(portfolio, row, it)
    return isClaimed and 1 or 0, isClaimed, row
  end,
  settle = function(portfolio, key, it)
    local answer = plainSettle(portfolio, key, it)
    return answer, answer == 1
  end,
  begin = function(portfolio, key, it) return carryOut(MOVES.begin, portfolio, key, it) end,
  advance = function(portfolio, key, it) return carryOut(MOVES.advance, portfolio, key, it) end,
}

local function oneItem(name, key, count, at)
  local portfolio, row, answer, isDone = portfolioOf(name), nil, nil, nil
  for place = 1, count do
    local move = ARGV[at]
    answer, isDone, row = CARRY[move](portfolio, key, TOLD[move](at + 1), row)
    if not isDone and count > 1 then return answer == -1 and -1 or place - 1 end
    at = at + 1 + COUNT[move]
  end
  return count > 1 and count or answer
end

local answers, asking, at = {}, {}, 1
while at <= #ARGV do
  local name, count, first = ARGV[at], tonumber(ARGV[at + 2]), at + 3
  local isSaid, answer = pcall(oneItem, name, ARGV[at + 1], count, first)
  if not isSaid then
    -- What a script of its own serves as well is left to that, which says so.
    local isOther = count > 1 or ARGV[first] == 'claim'
    answer = isOther and 0 or type(answer) == 'table' and answer or { err = 'ERR ' .. tostring(answer) }
  end
  asking[#asking + 1], answers[#answers + 1] = name, answer
  at = first
  for _ = 1, count do at = at + 1 + COUNT[ARGV[at]] end
end

for name, fault in pairs(writeGathered(NOW)) do
  for place, asks in ipairs(asking) do
    if asks == name then answers[place] = fault end
  end
end
return answers
