-- Finds the largest rows that wait for an approval, from the largest size of amount down.
-- @keys portfolio begins
-- Keys: begins: the key prefix of the portfolio's rows.
-- @args approval rows last most size column …known
-- rows: how many rows to find; last: number of the last column; most: after so many columns and rows visited, the script ends;
-- size and column: where an earlier run ended, "" and 0 for the first run; known: the rows that it found, as row key, amount, …
-- Answers { size, column, row key, amount, … }: where the next run goes on, and the rows found so far, the largest first. If size is "",
-- these are the largest of all.
-- @include columns
local count, upTo, seen, best = tonumber(rows), tonumber(size) or math.huge, 0, {}
for at = 1, #known, 2 do best[#best + 1] = { key = known[at], amount = known[at + 1] } end

local function put(key, amount)
  local place = #best + 1
  while place > 1 and tonumber(best[place - 1].amount) < tonumber(amount) do place = place - 1 end
  table.insert(best, place, { key = key, amount = amount })
  best[count + 1] = nil
end

-- Reads only rows larger than the smallest one kept.
local function lookAt(key)
  local at, batch = 0, {}
  repeat
    local from = #best < count and '-inf' or '(' .. best[count].amount
    batch = redis.call('ZRANGE', key, '+inf', from, 'BYSCORE', 'REV', 'LIMIT', at, count, 'WITHSCORES')
    for place = 1, #batch, 2 do
      local row = redis.call('HMGET', begins .. batch[place], 'state', 'approval')
      if row[1] == 'awaiting' and row[2] == approval then put(batch[place], batch[place + 1]) end
    end
    at, seen = at + count, seen + 1 + #batch / 2
  until #batch < 2 * count
end

local sizes, statusesOf = {}, {}
for _, kind in ipairs(redis.call('SMEMBERS', portfolio .. ':columns')) do
  local size, status = string.match(kind, '^(%S+) (.*)$')
  if tonumber(size) <= upTo then
    if not statusesOf[size] then sizes[#sizes + 1], statusesOf[size] = size, {} end
    table.insert(statusesOf[size], status)
  end
end
table.sort(sizes, function(one, other) return tonumber(one) > tonumber(other) end)

local function answer(size)
  local found = { size, tostring(column) }
  for _, row in ipairs(best) do
    found[#found + 1] = row.key
    found[#found + 1] = row.amount
  end
  return found
end

for _, size in ipairs(sizes) do
  -- If the size to continue with is gone by now, the next one begins at column 0.
  if tonumber(size) ~= upTo then column = 0 end
  while tonumber(column) <= tonumber(last) do
    if seen >= tonumber(most) then return answer(size) end
    for _, status in ipairs(statusesOf[size]) do lookAt(columnKey(portfolio, size, column, status)) end
    column = column + 1
  end
  if #best >= count then break end
end
return answer('')
