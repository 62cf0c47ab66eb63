-- Reads keys of a portfolio, other than its rows, as lines of its archive (archive-lines.lua), so many entries a line.
-- KEYS[1] the portfolio   KEYS[2] the key of an approval, less its id   KEYS[3…] the keys
-- ARGV[1] their type   ARGV[2] which of them is the first, from 1   ARGV[3] the place in it
-- ARGV[4] bytes behind which it stops
-- Answers { the lines, which key comes next, or 0, the place in it }
-- @include archive-lines
-- @include archive-pieces
local portfolio, approvals = unpack(KEYS, 1, 2)
local kind, most, lines, size = ARGV[1], tonumber(ARGV[4]), {}, 0
local at, place = tonumber(ARGV[2]) + 2, ARGV[3]
while KEYS[at] and size < most do
  local line, next = pieceOf(KEYS[at], kind, place, nameOf(KEYS[at], portfolio, approvals))
  if line then lines[#lines + 1], size = line, size + #line end
  -- A key that is not there costs little, but not nothing.
  size = size + 100
  if next then place = next else at, place = at + 1, '0' end
end
lines[#lines + 1] = ''
return { table.concat(lines, '\n'), KEYS[at] and at - 2 or 0, place }
