-- Tells whether keys of a portfolio are still what lines of its archive say (archive-lines.lua).
-- KEYS[1] the portfolio   KEYS[2] the key of an approval, less its id
-- ARGV[1] "digest" where the next is the SHA-1 of the lines, "lines" where each is given   ARGV[2] it, or ""
-- ARGV[3…] of each line: name, type, place; or the line
-- Answers 1 where they are, else 0; by their digests also where a hash or a set only has another order by now.
-- @include archive-lines
-- @include archive-pieces
local portfolio, approvals = unpack(KEYS)

local function isEntry(key, kind, cells, at)
  if kind == 'hash' then return redis.call('HGET', key, cells[at]) == cells[at + 1] end
  return redis.call('SISMEMBER', key, cells[at]) == 1
end

local function isSame(text)
  local cells = decodeLine(text)
  local name, kind = cells[1], cells[2]
  local key = keyOf(name, portfolio, approvals)
  if kind == 'zset' or kind == 'list' then return pieceOf(key, kind, cells[3], name) == text end
  for at = 4, #cells, kind == 'hash' and 2 or 1 do
    if not isEntry(key, kind, cells, at) then return false end
  end
  return true
end

if ARGV[1] == 'lines' then
  for at = 3, #ARGV do
    if not isSame(ARGV[at]) then return 0 end
  end
  return 1
end
local lines = {}
for at = 3, #ARGV, 3 do
  local name, kind, place = unpack(ARGV, at, at + 2)
  lines[#lines + 1] = pieceOf(keyOf(name, portfolio, approvals), kind, place, name) or ''
end
lines[#lines + 1] = ''
return redis.sha1hex(table.concat(lines, '\n')) == ARGV[2] and 1 or 0
