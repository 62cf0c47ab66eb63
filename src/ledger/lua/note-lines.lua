-- Writes the problems of an import's lines, or that a line has none, with the key of the line's request. The counts of faulty lines are the
-- sizes of the hashes.
-- @keys portfolio invalid duplicate kept rows
-- The portfolio, its invalid lines, its duplicate lines, its rows whose line is invalid, and the beginning of the keys of its rows.
-- @args content …lines
-- content: the file and how it is read; lines: line, kind ("invalid", "duplicate" or "sound"), problem, the key of its request or "",
-- its buyer or "", …
-- @brings-in
-- Answers 2 if problems were noted before, 1 if none were: then sound lines have nothing to take back. Answers 0 if another file's lines
-- are shown by now: then nothing is written.
-- @include archived
local archived = archivedError(portfolio)
if archived then return archived end
if redis.call('HGET', portfolio, 'content') ~= content then return 0 end
local import = redis.call('HGET', portfolio, 'importNumber')
local before = redis.call('EXISTS', invalid, duplicate, kept)

local function noteKind(faulty, kind)
  local wrong, others = {}, {}
  for at = 1, #lines, 5 do
    local line, lineKind, problem, key = unpack(lines, at, at + 3)
    if lineKind == kind then
      wrong[#wrong + 1] = line
      wrong[#wrong + 1] = key .. ' ' .. problem
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

noteKind(invalid, 'invalid')
noteKind(duplicate, 'duplicate')
for at = 1, #lines, 5 do
  local line, kind, _, key, buyer = unpack(lines, at, at + 4)
  if key ~= '' then
    if kind == 'invalid' and isKept(line, key, buyer) then
      redis.call('HSET', kept, key, line)
    elseif redis.call('HGET', kept, key) == line then
      redis.call('HDEL', kept, key)
    end
  end
end
return before > 0 and 2 or 1
