-- Reads what a portfolio is, as lines of its archive (archive-lines.lua), and tells whether it still is what such lines say.
-- @keys portfolio approvals row …others
-- What the keys of approvals and of its rows begin with; keys to be read.
-- @args question …told
-- What is asked, and what that takes.
-- Answers what is said of each question.
-- @only-reads
-- @include archive-lines
local asked = {}

-- The line of a piece of a key, or false where there is nothing, and the place behind it, or nil.
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
    -- The field `archive` tells how far archiving has come: it differs between two copies of one portfolio, and is left out.
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
  -- A hash or a set may only have another order by now.
  for at = 4, #cells, kind == 'hash' and 2 or 1 do
    if kind == 'hash' and redis.call('HGET', key, cells[at]) ~= cells[at + 1] then return false end
    if kind ~= 'hash' and redis.call('SISMEMBER', key, cells[at]) == 0 then return false end
  end
  return true
end

-- In whatever order its fields are by now.
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

-- Takes bytes behind which it stops, and the keys of rows. Answers { of how many rows, their lines }.
function asked.rows(most, ...)
  local lines, size = {}, 0
  for _, key in ipairs({ ... }) do
    lines[#lines + 1] = lineOfRow(row .. key, key)
    size = size + #lines[#lines]
    if size >= tonumber(most) then break end
  end
  return { #lines, textOf(lines) }
end

-- Reads keys other than rows, so many entries a line. Takes their type, which of them is the first, from 1, the place in it, and bytes behind
-- which it stops. Answers { the lines, which key comes next, or 0, the place in it }.
function asked.keys(kind, first, place, most)
  local lines, size, at = {}, 0, tonumber(first)
  while others[at] and size < tonumber(most) do
    local line, next = pieceOf(others[at], kind, place, nameOf(others[at], portfolio, approvals))
    if line then lines[#lines + 1], size = line, size + #line end
    -- A key that is not there costs little, but not nothing.
    size = size + 100
    if next then place = next else at, place = at + 1, '0' end
  end
  return { textOf(lines), others[at] and at or 0, place }
end

-- Takes the keys of rows. Answers the SHA-1 of their lines.
asked['digest of rows'] = function(...)
  return redis.sha1hex(asked.rows(math.huge, ...)[2])
end

-- Takes name, type and place of pieces of other keys. Answers the same.
asked['digest of keys'] = function(...)
  local heads, lines = { ... }, {}
  for at = 1, #heads, 3 do
    local name, kind, place = unpack(heads, at, at + 2)
    lines[#lines + 1] = pieceOf(keyOf(name, portfolio, approvals), kind, place, name) or ''
  end
  return redis.sha1hex(textOf(lines))
end

-- Takes lines. Answers 1 where all of them are what there is, else 0.
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
