-- Included where keys of a portfolio become lines of its archive, or the reverse. A line is a JSON array of strings:
--   ["<row key>", "<number of field and value cells>", field, value, …, event of its history, …]   for a row
--   ["<name>", "<type>", "<position>", entry, …]                                                    for any other key
-- A name is "portfolio" and the rest of the key, or "approval:" and its id. Entries of a hash are field, value, …, and of a sorted set
-- member, score, …. The position is the rank of the first entry, or the cursor of HSCAN and SSCAN.
-- Bytes that are not text (index-entries.lua) are written as the characters U+0080 to U+00FF, so that a line is always text.
local PIECE = 500

local function isBytes(name)
  return string.find(name, '^portfolio:ids:') ~= nil
end

local ESCAPES

local function encodeLine(cells)
  local text = cjson.encode(cells)
  if not isBytes(cells[1]) then return text end
  if not ESCAPES then
    ESCAPES = {}
    for byte = 128, 255 do ESCAPES[string.char(byte)] = string.format('\\u%04x', byte) end
  end
  return (string.gsub(text, '[\128-\255]', ESCAPES))
end

local function byteOf(first, second)
  return string.char(string.byte(second) + (first == '\195' and 64 or 0))
end

local function decodeLine(text)
  local cells = cjson.decode(text)
  if not isBytes(cells[1]) then return cells end
  for at = 4, #cells do cells[at] = string.gsub(cells[at], '([\194\195])([\128-\191])', byteOf) end
  return cells
end

-- The archive's name of a key, and the reverse; `approvals` is the key prefix of approvals.
local function nameOf(key, portfolio, approvals)
  if string.sub(key, 1, #portfolio) == portfolio then return 'portfolio' .. string.sub(key, #portfolio + 1) end
  return 'approval:' .. string.sub(key, #approvals + 1)
end

local function keyOf(name, portfolio, approvals)
  if string.sub(name, 1, 9) == 'approval:' then return approvals .. string.sub(name, 10) end
  return portfolio .. string.sub(name, 10)
end

-- The line of a row as it is now.
local function lineOfRow(row, key)
  local found, story = redis.call('HGETALL', row), redis.call('LRANGE', row .. ':story', '0', '-1')
  local cells = { key, string.format('%d', #found) }
  for at = 1, #found do cells[at + 2] = found[at] end
  for at = 1, #story do cells[#found + at + 2] = story[at] end
  return encodeLine(cells)
end

-- Writes the entries of one line back into their key.
local COMMANDS = { hash = 'HSET', zset = 'ZADD', set = 'SADD', list = 'RPUSH' }

local function putPiece(key, cells)
  if cells[2] == 'zset' then
    -- A line has a member before its score, as ZRANGE answers them; ZADD takes the score first.
    for at = 4, #cells, 2 do cells[at], cells[at + 1] = cells[at + 1], cells[at] end
  end
  redis.call(COMMANDS[cells[2]], key, unpack(cells, 4))
end
