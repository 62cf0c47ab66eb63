-- Writes the problems of an import's lines, or that a line has none, with the key of the line's request. The counts of faulty lines are the
-- sizes of the hashes; the amounts of those that led to no row are added up.
-- @keys portfolio invalid duplicate kept leftOut rows
-- Keys: invalid and duplicate: the portfolio's lines of each kind; kept: its rows whose line is invalid; leftOut: the counts of
-- left-out.lua; rows: the key prefix of its rows.
-- @args content …lines
-- content: the file and how it is read; lines: line, kind ("invalid", "duplicate" or "sound"), problem, the key of its request or "",
-- its buyer or "", its amount or "" with "|<name>" behind it if that is known, …
-- @brings-in
-- Answers 2 if problems were noted before, 1 if none were: then sound lines have nothing to take back. Answers 0 if another file's lines
-- are shown by now: then nothing is written.
-- @include archived
-- @include left-out
local archived = archivedError(portfolio)
if archived then return archived end
if redis.call('HGET', portfolio, 'content') ~= content then return 0 end
local import = redis.call('HGET', portfolio, 'importNumber')
local before = redis.call('EXISTS', invalid, duplicate, kept)

local function noteKind(faulty, kind)
  local wrong, others = {}, {}
  for at = 1, #lines, 6 do
    local line, lineKind, problem, key, _, amount = unpack(lines, at, at + 5)
    if lineKind == kind then
      wrong[#wrong + 1] = line
      wrong[#wrong + 1] = key .. '|' .. amount .. ' ' .. problem
    else
      others[#others + 1] = line
    end
  end
  if #others > 0 then redis.call('HDEL', faulty, unpack(others)) end
  if #wrong > 0 then redis.call('HSET', faulty, unpack(wrong)) end
end

-- Whether an invalid line counts as the row that its request already has. Not if another line of this import does, or the row is another
-- buyer's: then that buyer's outcome would be shown beside the wrong name.
local function isKept(line, key, buyer)
  local row = redis.call('HMGET', rows .. key, 'line', 'import', 'request')
  if not row[1] or (row[2] == import and row[1] ~= line) then return false end
  return buyer == '' or not row[3] or cjson.decode(row[3]).buyer == buyer
end

-- The lines that may begin or cease to lead to a row: those given, and those that count as the row of the same request until now.
local touched, isTouched = {}, {}
local function touch(line)
  if line and not isTouched[line] then
    isTouched[line] = true
    touched[#touched + 1] = line
  end
end
for at = 1, #lines, 6 do
  touch(lines[at])
  if before > 0 and lines[at + 3] ~= '' then touch(redis.call('HGET', kept, lines[at + 3])) end
end

local function isInNoSum(key)
  local row = redis.call('HMGET', rows .. key, 'state', 'replaced')
  return row[1] == 'cancelled' and row[2]
end

local left = {}
local function addTouched(sign)
  if #touched == 0 then return end
  for _, faulty in ipairs({ invalid, duplicate }) do
    for at, text in ipairs(redis.call('HMGET', faulty, unpack(touched))) do
      local key = text and faulty == invalid and string.match(text, '^[^| ]*')
      local isRow = key and redis.call('HGET', kept, key) == touched[at]
      local isUnsummed = isRow and isSummed(text) and isInNoSum(key) and (sign > 0 or hasUnsummed(portfolio))
      if isUnsummed then left.unsummed = (left.unsummed or 0) + sign end
      if text and (isUnsummed or not isRow) then addLeftOut(left, text, sign) end
    end
  end
end

if before > 0 then addTouched(-1) end
noteKind(invalid, 'invalid')
noteKind(duplicate, 'duplicate')
for at = 1, #lines, 6 do
  local line, kind, _, key, buyer = unpack(lines, at, at + 4)
  if key ~= '' then
    if kind == 'invalid' and isKept(line, key, buyer) then
      redis.call('HSET', kept, key, line)
    elseif redis.call('HGET', kept, key) == line then
      redis.call('HDEL', kept, key)
    end
  end
end
addTouched(1)
keepLeftOut(leftOut, left)
return before > 0 and 2 or 1
