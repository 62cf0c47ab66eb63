-- Puts rows of a portfolio, or other keys but its hash, back from lines of its archive (archive-lines.lua), byte for byte. Said again, it is
-- the same. Pieces of other keys may come in any order: nobody changes these keys meanwhile, so what stands there is a part of what comes.
-- Of a list, whose entries would come twice, the first piece takes away what stands there, and the others come behind it.
-- KEYS[1] the portfolio   KEYS[2] the key of an approval, less its id   KEYS[3] the key of a row, less its name; none where it is other keys
-- ARGV[1] the run   ARGV[2…] the lines
-- @brings-in
-- Answers 1; 0 where the portfolio does not come back by this run: of two processes only the later one puts anything back, since a key that
-- one begins anew the other may have ended.
-- @include archive-lines
-- @include restore-piece
-- @include approvals
-- As many texts as one command is given: well below what Lua unpacks.
local TEXTS = 1000
local portfolio, approvals, rows = unpack(KEYS)
local archive = redis.call('HGET', portfolio, 'archive')
local known = archive and cjson.decode(archive) or {}
if known.is ~= 'restoring' or known.run ~= ARGV[1] then return 0 end
-- Redis whose memory is full refuses the first command of a script that takes some, and none behind one that was let through: this
-- one changes nothing, and is the first.
redis.call('HSET', portfolio, 'archive', archive)

local function put(command, key, cells, from, to)
  for at = from, to, TEXTS do redis.call(command, key, unpack(cells, at, math.min(at + TEXTS - 1, to))) end
end

local function putRow(cells)
  local row, fields = rows .. cells[1], tonumber(cells[2])
  redis.call('UNLINK', row, row .. ':story')
  put('HSET', row, cells, 3, 2 + fields)
  put('RPUSH', row .. ':story', cells, 3 + fields, #cells)
  -- Archives of before format 5 have a person's no with the row; it belongs to the request.
  local declined, request = redis.call('HGET', row, 'declined'), requestOf(portfolio, cells[1])
  if declined then
    redis.call('HDEL', row, 'declined')
    if redis.call('HGET', request, 'state') ~= 'made' then redis.call('HSETNX', request, 'declined', declined) end
  end
end

local function putKey(cells)
  local key = keyOf(cells[1], portfolio, approvals)
  if key == portfolio then return redis.error_reply('ERR the hash of a portfolio comes back with the last step') end
  if cells[2] == 'list' and cells[3] == '0' then redis.call('UNLINK', key) end
  putPiece(key, cells)
end

for at = 2, #ARGV do
  local fault = (rows and putRow or putKey)(decodeLine(ARGV[at]))
  if fault then return fault end
end
return 1
