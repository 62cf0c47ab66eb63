-- Writes down what is wrong with lines of an import, or that nothing is, together with the key of the line's request. Counts
-- are the sizes of the hashes.
-- @keys portfolio invalid duplicate kept rows
-- Its invalid lines, its duplicate lines, its rows whose line is invalid, and what the keys of its rows begin with.
-- @args content …lines
-- content: the file and how it is read; lines: line, kind ("invalid", "duplicate" or "sound"), problem, the key of its request or "",
-- its buyer or "", …
-- @brings-in
-- Answers 2 where something was noted before, 1 where nothing was: then sound lines have nothing to take back. Answers 0 when another
-- file's lines are shown by now: then these are not kept.
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

-- An invalid line whose request has a row already counts as that row, unless another line of this import does, or the
-- row is another buyer's: shown with the line, what that buyer was granted would stand beside the wrong name.
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
