-- Reads rows of a portfolio as lines of its archive (archive-lines.lua).
-- KEYS[1] the key of a row, less its name
-- ARGV[1] "text", or "digest" where only their digest is wanted   ARGV[2] bytes behind which it stops
-- ARGV[3…] the keys of the rows
-- Answers { of how many rows, their lines, or the SHA-1 of them }
-- @include archive-lines
local most, lines, size = tonumber(ARGV[2]), {}, 0
for at = 3, #ARGV do
  local line = lineOfRow(KEYS[1] .. ARGV[at], ARGV[at])
  lines[#lines + 1], size = line, size + #line
  if size >= most then break end
end
lines[#lines + 1] = ''
local text = table.concat(lines, '\n')
return { #lines - 1, ARGV[1] == 'digest' and redis.sha1hex(text) or text }
