-- Reads a portfolio as lines of its archive (archive-lines.lua), and compares such lines with what is in Redis.
-- @keys portfolio approvals row …others
-- Keys: approvals and row: the key prefixes of approvals and of the portfolio's rows; others: further keys to read.
-- @args question …told
-- question: one of the functions of `asked` in this file; told: the arguments of that function. The comment at each function says what the
-- script then answers.
-- @only-reads
-- @include archive-lines
local asked = {}

-- Some entries of a key (a piece), from position `place` on, as one line of the archive (archive-lines.lua); false if there are none.
     -- Also the position of the next piece, or nil after the last one.
local function pieceOf(key, kind, place, name)
  local from, found, next = tonumber(place), nil, nil
  if kind == 'zset' then
    found = redis.call('ZRANGE', key, place, string.format('%d', from + PIECE - 1), 'WITHSCORES')
    if #found == PIECE * 2 then next = string.format('%d', from + PIECE) end
  elseif kind == 'list' then
    found = redis.call('LRANGE', key, place, string.format('%d', from + PIECE - 1))
    if #found == PIECE then next = string.format('%d', from + PIECE) end
  else
    next, found = unpack(redis.call(kind == 'hash' and 'HSCAN' or 'SSCAN', key, place, 'COUNT', PIECE))
    if next == '0' then next = nil end
  end
  local cells = { name, kind, place }
  for at = 1, #found, kind == 'hash' and 2 or 1 do
    -- The field `archive` is the progress of archiving. It differs between two copies of one portfolio, and is left out.
    if name ~= 'portfolio' or found[at] ~= 'archive' then
      cells[#cells + 1] = found[at]
      if kind == 'hash' then cells[#cells + 1] = found[at + 1] end
    end
  end
  return #cells > 3 and encodeLine(cells), next
end

local function isSameKey(text)
  local cells = decodeLine(text)
  local name, kind = cells[1], cells[2]
  local key = keyOf(name, portfolio, approvals)
  if kind == 'zset' or kind == 'list' then return pieceOf(key, kind, cells[3], name) == text end
  -- In Redis the entries of a hash or a set may have another order than in the archive, so each entry is looked up.
  for at = 4, #cells, kind == 'hash' and 2 or 1 do
    if kind == 'hash' and redis.call('HGET', key, cells[at]) ~= cells[at + 1] then return false end
    if kind ~= 'hash' and redis.call('SISMEMBER', key, cells[at]) == 0 then return false end
  end
  return true
end

-- Compares a row with its line, in any order of fields.
local function isSameRow(text)
  local before = cjson.decode(text)
  local now = cjson.decode(lineOfRow(row .. before[1], ''))
  if #before ~= #now or before[2] ~= now[2] then return false end
  local fields, stories = {}, 2 + tonumber(now[2])
  for at = 3, stories, 2 do fields[now[at]] = now[at + 1] end
  for at = 3, #now do
    if at > stories and before[at] ~= now[at] then return false end
    if at <= stories and at % 2 == 1 and fields[before[at]] ~= before[at + 1] then return false end
  end
  return true
end

local function textOf(lines)
  return table.concat(lines, '\n') .. (#lines > 0 and '\n' or '')
end

-- Takes a size in bytes after which it stops, and row keys. Answers { number of rows read, their lines }.
function asked.rows(most, ...)
  local lines, size = {}, 0
  for _, key in ipairs({ ... }) do
    lines[#lines + 1] = lineOfRow(row .. key, key)
    size = size + #lines[#lines]
    if size >= tonumber(most) then break end
  end
  return { #lines, textOf(lines) }
end

-- Reads keys other than rows, in pieces. Takes their type, the index of the first key (from 1), the position in it, and a size in bytes
-- after which it stops. Answers { the lines, index of the next key or 0, the position in it }.
function asked.keys(kind, first, place, most)
  local lines, size, at = {}, 0, tonumber(first)
  while others[at] and size < tonumber(most) do
    local line, next = pieceOf(others[at], kind, place, nameOf(others[at], portfolio, approvals))
    if line then lines[#lines + 1], size = line, size + #line end
    -- Reading a missing key costs little, but not nothing, so it counts as 100 bytes.
    size = size + 100
    if next then place = next else at, place = at + 1, '0' end
  end
  return { textOf(lines), others[at] and at or 0, place }
end

-- Takes row keys. Answers the SHA-1 of their lines.
asked['digest of rows'] = function(...)
  return redis.sha1hex(asked.rows(math.huge, ...)[2])
end

-- Takes pieces of keys other than rows: of each the key's name, its type, and the piece's position in it. Answers the SHA-1 of their lines.
asked['digest of keys'] = function(...)
  local heads, lines = { ... }, {}
  for at = 1, #heads, 3 do
    local name, kind, place = unpack(heads, at, at + 2)
    lines[#lines + 1] = pieceOf(keyOf(name, portfolio, approvals), kind, place, name) or ''
  end
  return redis.sha1hex(textOf(lines))
end

-- Takes lines of an archive. Answers 1 if what each of them holds is the same in Redis, else 0.
local function areAll(isSame)
  return function(...)
    for _, line in ipairs({ ... }) do
      if not isSame(line) then return 0 end
    end
    return 1
  end
end
asked['same rows'], asked['same keys'] = areAll(isSameRow), areAll(isSameKey)

return asked[question](unpack(told))
