-- Puts rows of a portfolio, or other keys but its hash, back from lines of its archive (archive-lines.lua), byte for byte. Said again, it is
-- the same. Pieces of other keys may come in any order: nobody changes these keys meanwhile, so what stands there is a part of what comes.
-- Of a list, whose entries would come twice, the first piece takes away what stands there, and the others come behind it.
-- @keys portfolio approvals row
-- What the keys of approvals and of its rows begin with.
-- @args of run …lines
-- of: "rows", or "keys" where it is other keys.
-- @brings-in
-- Answers 1; 0 where the portfolio does not come back by this run: of two processes only the later one puts anything back, since a key that
-- one begins anew the other may have ended.
-- @include archive-lines
-- @include approvals
-- As many texts as one command is given: well below what Lua unpacks.
local TEXTS = 1000
local archive = redis.call('HGET', portfolio, 'archive')
local known = archive and cjson.decode(archive) or {}
if known.is ~= 'restoring' or known.run ~= run then return 0 end
-- Redis whose memory is full refuses the first command of a script that takes some, and none behind one that was let through: this
-- one changes nothing, and is the first.
redis.call('HSET', portfolio, 'archive', archive)

local function put(command, key, cells, from, to)
  for at = from, to, TEXTS do redis.call(command, key, unpack(cells, at, math.min(at + TEXTS - 1, to))) end
end

local function putRow(cells)
  local hash, fields = row .. cells[1], tonumber(cells[2])
  redis.call('UNLINK', hash, hash .. ':story')
  put('HSET', hash, cells, 3, 2 + fields)
  put('RPUSH', hash .. ':story', cells, 3 + fields, #cells)
  -- Archives of before format 5 have a person's no with the row; it belongs to the request.
  local declined, request = redis.call('HGET', hash, 'declined'), requestOf(portfolio, cells[1])
  if declined then
    redis.call('HDEL', hash, 'declined')
    if redis.call('HGET', request, 'state') ~= 'made' then redis.call('HSETNX', request, 'declined', declined) end
  end
end

local function putKey(cells)
  local key = keyOf(cells[1], portfolio, approvals)
  if key == portfolio then return redis.error_reply('ERR the hash of a portfolio comes back with the last step') end
  if cells[2] == 'list' and cells[3] == '0' then redis.call('UNLINK', key) end
  putPiece(key, cells)
end

for _, line in ipairs(lines) do
  local fault = (of == 'rows' and putRow or putKey)(decodeLine(line))
  if fault then return fault end
end
return 1
