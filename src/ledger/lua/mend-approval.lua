-- Lists an approval by its standing, and corrects the sum of its rows if it was counted wrongly, unless it changed since. Or removes
-- rows that are listed under the approval and do not belong to it.
-- @keys approval waits answered rows
-- Keys: waits and answered: the lists of approvals that wait and that are not carried out yet; rows: the approval's rows.
-- @args name moves count sum …strays
-- name: "<portfolio>/<id>"; moves: of the approval when its rows were read; count: number of its rows, or "" if their sum is right; sum:
-- of its rows; strays: keys of rows to remove; then nothing else is done.
-- Answers how much differed, or how many rows were removed; or -1 if the approval changed since, or the portfolio is archived.
-- @include amounts
-- @include archived
if isArchived(string.match(approval, '^(.*):approval:') .. ':portfolio:' .. string.match(name, '^[^/]*')) then return -1 end
if #strays > 0 then return redis.call('ZREM', rows, unpack(strays)) end
local found = redis.call('HMGET', approval, 'standing', 'moves', 'asked', 'kind', 'rows', 'supplierMs')
if found[2] ~= moves then return -1 end
-- An open approval without rows after ten minutes becomes void: its process died. Not that of an import, which may still go on with it.
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
-- The corrected approval counts as changed, so that people who have seen it must look again.
redis.call('HINCRBY', approval, 'moves', 1)
return differs + 1
