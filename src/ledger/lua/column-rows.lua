-- Lists rows by requested limit, status and state, in the order of columns of 1,024 lines each.
-- @keys portfolio begins
-- Keys: begins: the key prefix of the portfolio's rows.
-- @args first last from to ofStatus status rows most …states
-- first and last: columns; from and to: range of the limit, either may be ""; ofStatus: 1 to filter by status; rows: ends the walk after so
-- many rows, at the end of a column; most: ends the walk after so many columns and rows visited; states: those to list, none for all.
-- Answers { the column to continue with, columns and rows visited, row key, line, row key, line, … }, in no order within a column.
-- @include columns
local isMeant, anyState = {}, #states == 0
for _, state in ipairs(states) do isMeant[state] = true end

-- The kinds of columns, "<size> <status>", that can contain rows of this range and status.
local function kindsOf()
  local smallest = from == '' and -1 or tonumber(sizeOf(from))
  local largest = to == '' and math.huge or tonumber(sizeOf(to))
  if from == '' and to ~= '' then smallest = 0 end
  local known = ofStatus == '1' and redis.call('SISMEMBER', portfolio .. ':statuses', status) == 1
  local kinds = {}
  for _, kind in ipairs(redis.call('SMEMBERS', portfolio .. ':columns')) do
    local size, of = string.match(kind, '^(%S+) (.*)$')
    local isOfStatus = ofStatus ~= '1' or of == (known and status or '*')
    if isOfStatus and tonumber(size) >= smallest and tonumber(size) <= largest then
      kinds[#kinds + 1] = { size = size, status = of }
    end
  end
  return kinds
end

local kinds = kindsOf()
local column, seen = tonumber(first), 0
if #kinds == 0 then column = last + 1 end
local answer = { 0, 0 }
from, to = from == '' and '-inf' or from, to == '' and '+inf' or to
while column <= tonumber(last) and #answer < 2 + 2 * rows and seen < tonumber(most) do
  for _, kind in ipairs(kinds) do
    local keys = redis.call('ZRANGE', columnKey(portfolio, kind.size, column, kind.status), from, to, 'BYSCORE')
    seen = seen + 1 + #keys
    for _, key in ipairs(keys) do
      local found = redis.call('HMGET', begins .. key, 'line', 'state')
      if found[1] and (anyState or isMeant[found[2]]) then
        answer[#answer + 1] = key
        answer[#answer + 1] = found[1]
      end
    end
  end
  column = column + 1
end
answer[1], answer[2] = column, seen
return answer
