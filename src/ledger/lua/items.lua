-- Included in scripts for many rows at once, behind moveOne(move, portfolio, key, arguments, row if already read), which answers the
-- move's answer, whether it was done, and the row; no row for a move of a call.
-- ARGV of each item: portfolio, row key, number of moves; for each move its name and arguments (schema.ts)
-- Answers for an item of one move that move's answer, for several { number of moves done in order, answer of the last one tried }.
-- If a portfolio's sets are damaged, the error is the answer to each item that moves a row of that portfolio, and to no other.
local function oneItem(name, key, moves)
  local portfolio, row, answer, isDone = portfolioOf(name), nil, nil, nil
  for place = 1, #moves, 2 do
    answer, isDone, row = moveOne(moves[place], portfolio, key, moves[place + 1], row)
    if #moves == 2 then return answer, row end
    if not isDone then return { (place - 1) / 2, answer }, row end
  end
  return { #moves / 2, answer }, row
end

local answers, moving, at = {}, {}, 1
while at <= #ARGV do
  local name, key, moves = ARGV[at], ARGV[at + 1], {}
  local count = ARGV[at + 2] * 2
  at = at + 3
  for place = 1, count, 2 do
    moves[place] = ARGV[at]
    moves[place + 1], at = toldOf(ARGV[at], at + 1)
  end
  local isSaid, answer, row = pcall(oneItem, name, key, moves)
  answers[#answers + 1] = isSaid and answer or faultOf(answer)
  moving[#answers] = row and name or false
end

for name, fault in pairs(writeGathered(NOW)) do
  for place, moves in ipairs(moving) do
    if moves == name then answers[place] = fault end
  end
end
return answers
