-- Lists rows by requested limit, from the smallest up or from the largest down; those with the same limit by column of 1,024 lines, then by
-- key, in the same direction.
-- @keys portfolio
-- @args isDown from to last amount column key count most ofStatus status
-- isDown: 1 for the largest first; from and to: range of the limit, either may be ""; last: number of the last column; amount, column and
-- key: of the row behind which the list goes on, "" for its beginning; count: rows at most; most: after so many columns and rows visited,
-- the script begins no other size; ofStatus: 1 to list one status.
-- Answers { isAll, columns and rows visited, row key, amount, column, … }. isAll is 1 if nothing follows.
-- @include columns
local down, sign, rows, seen = isDown == '1', isDown == '1' and -1 or 1, tonumber(count), 0
local best, behind = {}, amount ~= '' and { amount = tonumber(amount), column = tonumber(column), key = key }

-- By bytes, as Redis orders them: Lua compares texts by the rules of a language.
local function isLess(one, other)
  for at = 1, #one do
    local a, b = string.byte(one, at), string.byte(other, at) or -1
    if a ~= b then return a < b end
  end
  return #one < #other
end

local function isBefore(one, other)
  if one.amount ~= other.amount then return (one.amount < other.amount) ~= down end
  if one.column ~= other.column then return (one.column < other.column) ~= down end
  return one.key ~= other.key and isLess(one.key, other.key) ~= down
end

local function put(row)
  local place = #best + 1
  while place > 1 and isBefore(row, best[place - 1]) do place = place - 1 end
  if place <= rows then
    table.insert(best, place, row)
    best[rows + 1] = nil
  end
end

local function read(set, number, first, final, limit)
  local found = down and redis.call('ZRANGE', set, final, first, 'BYSCORE', 'REV', 'LIMIT', '0', limit, 'WITHSCORES')
    or redis.call('ZRANGE', set, first, final, 'BYSCORE', 'LIMIT', '0', limit, 'WITHSCORES')
  seen = seen + 1 + #found / 2
  for at = 1, #found, 2 do
    local row = { key = found[at], text = found[at + 1], amount = tonumber(found[at + 1]), column = number }
    if not behind or isBefore(behind, row) then put(row) end
  end
end

-- Reads those rows of a column that may be in the answer: rows behind the last row of the previous page, and no further than the last of
-- `best`, once that has as many rows as asked for.
local function lookAt(set, number)
  local first, final = from == '' and '-inf' or from, to == '' and '+inf' or to
  if #best == rows then
    local worst = string.format('%.17g', best[rows].amount)
    if down then first = worst else final = worst end
  end
  if behind then
    local isPassed = (number - behind.column) * sign < 0
    -- Rows of the same column with the same limit are read whole: the limit alone does not tell whether a row comes before or behind the
    -- last row of the previous page.
    if number == behind.column then
      read(set, number, amount, amount, -1)
      isPassed = true
    end
    local bound = (isPassed and '(' or '') .. amount
    if down then final = bound else first = bound end
  end
  read(set, number, first, final, rows)
end

local known = ofStatus == '1' and redis.call('SISMEMBER', portfolio .. ':statuses', status) == 1
local sizes, statusesOf = {}, {}
for _, kind in ipairs(redis.call('SMEMBERS', portfolio .. ':columns')) do
  local size, of = string.match(kind, '^(%S+) (.*)$')
  local isMeant = (ofStatus ~= '1' or of == (known and status or '*'))
    and (from == '' or tonumber(size) >= tonumber(sizeOf(from))) and (to == '' or tonumber(size) <= tonumber(sizeOf(to)))
  if isMeant then
    if not statusesOf[size] then sizes[#sizes + 1], statusesOf[size] = tonumber(size), {} end
    table.insert(statusesOf[size], of)
  end
end
table.sort(sizes, function(one, other) return (one - other) * sign < 0 end)

-- The size of an amount follows from its whole part. It is formatted anew, since Redis writes a large amount with an exponent.
local sizeBehind = behind and tonumber(behind.amount < 0 and '-1' or sizeOf(string.format('%.0f', math.floor(behind.amount))))
local isAll = 1
for _, size in ipairs(sizes) do
  local isPassed = behind and (size - sizeBehind) * sign < 0
  if not isPassed then
    if #best == rows or #best > 0 and seen >= tonumber(most) then
      isAll = 0
      break
    end
    for number = 0, tonumber(last) do
      for _, of in ipairs(statusesOf[string.format('%d', size)]) do lookAt(columnKey(portfolio, string.format('%d', size), number, of), number) end
    end
  end
end
if #best == rows then isAll = 0 end
local answer = { isAll, math.floor(seen) }
for _, row in ipairs(best) do
  answer[#answer + 1] = row.key
  answer[#answer + 1] = row.text
  answer[#answer + 1] = tostring(row.column)
end
return answer
