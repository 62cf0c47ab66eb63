-- Lists an approval as it stands, and writes down what its rows ask for where that was counted wrongly, unless it changed since. Or takes out
-- rows that stand among its own and do not belong to it.
-- @keys approval waits answered rows
-- The approval, what waits, what was answered and is not carried out yet, and its rows.
-- @args name moves count sum …strays
-- name: its own, "<portfolio>/<id>"; moves: of it, when its rows were looked at; count: how many rows there are, or "" where they were
-- counted rightly; sum: what they ask for; strays: keys of the rows that are taken out, where nothing else is to be done.
-- Answers how much differed, or how many rows were taken out; or -1 where it changed meanwhile, or the portfolio is archived.
-- @include amounts
-- @include archived
if isArchived(string.match(approval, '^(.*):approval:') .. ':portfolio:' .. string.match(name, '^[^/]*')) then return -1 end
if #strays > 0 then return redis.call('ZREM', rows, unpack(strays)) end
local found = redis.call('HMGET', approval, 'standing', 'moves', 'asked', 'kind', 'rows', 'supplierMs')
if found[2] ~= moves then return -1 end
-- Whoever began to ask and was killed before a row waited asks no more. A killed import goes on under its approval.
local isBegun = found[1] == 'open' and found[4] ~= 'import' and found[5] == '0' and not found[6]
if isBegun and redis.call('TIME')[1] * 1000 - found[3] > 600000 then redis.call('HSET', approval, 'standing', 'void') end
local isLeft = found[1] ~= 'open' and found[1] ~= 'waiting' and redis.call('ZCARD', rows) > 0
local differs = 0
local function list(index, isMeant)
  if isMeant then
    differs = differs + redis.call('ZADD', index, 'NX', found[3] or 0, name)
  else
    differs = differs + redis.call('ZREM', index, name)
  end
end
list(waits, found[1] == 'waiting')
if isLeft then list(answered, true) end
if count == '' then return differs end
for _, field in ipairs(redis.call('HKEYS', approval)) do
  if string.match(field, '^sum:rows:') then redis.call('HDEL', approval, field) end
end
for k, limb in pairs(limbsOf(sum) or {}) do redis.call('HSET', approval, 'sum:rows:' .. k, string.format('%.0f', limb)) end
redis.call('HSET', approval, 'rows', count)
-- Whoever looked at it looks again.
redis.call('HINCRBY', approval, 'moves', 1)
return differs + 1
