-- Restores rows or other keys of a portfolio, except its hash, from lines of its archive (archive-lines.lua), byte for byte. It may run
-- twice. A large key comes in several pieces. Those of a set or a hash may come in any order, since nobody changes the key in the meantime.
-- A list would get its entries twice: so its first piece deletes the key, and its other pieces must follow in order.
-- @keys portfolio approvals row
-- Keys: approvals and row: the key prefixes of approvals and of the portfolio's rows.
-- @args of run …lines
-- of: "rows" or "keys".
-- @brings-in
-- Answers 1; 0 if another run restores the portfolio: of two processes only the later one writes, since one could delete a list that the
-- other has completed.
-- @include archive-lines
-- @include approvals
-- Values in one command: well below the limit of Lua's unpack.
local TEXTS = 1000
local archive = redis.call('HGET', portfolio, 'archive')
local known = archive and cjson.decode(archive) or {}
if known.is ~= 'restoring' or known.run ~= run then return 0 end
-- A Redis without free memory rejects the first write of a script, and none after one that was allowed. This write changes nothing,
-- and comes first, so that no half of a piece is written.
redis.call('HSET', portfolio, 'archive', archive)

local function put(command, key, cells, from, to)
  for at = from, to, TEXTS do redis.call(command, key, unpack(cells, at, math.min(at + TEXTS - 1, to))) end
end

local function putRow(cells)
  local hash, fields = row .. cells[1], tonumber(cells[2])
  redis.call('UNLINK', hash, hash .. ':story')
  put('HSET', hash, cells, 3, 2 + fields)
  put('RPUSH', hash .. ':story', cells, 3 + fields, #cells)
  -- Archives from before format 5 have a person's refusal in the row. It belongs to the request now, and is moved there.
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
