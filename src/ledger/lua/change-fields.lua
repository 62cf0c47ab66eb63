-- Writes fields of a portfolio, the account or another hash, even if the memory of Redis is full.
-- @keys hash
-- @args …changes
-- "HSET" | "HDEL" | "HINCRBY", field, value ("" for HDEL), … In front may be conditions: "IS", field, value ("" for none); if a field has
-- another value, nothing is written.
-- Answers the values before, or false if a condition failed. Repeated, HINCRBY counts twice.
-- @include archived
for at = 1, #changes, 3 do
  local isOther = changes[at] == 'IS' and (redis.call('HGET', hash, changes[at + 1]) or '') ~= changes[at + 2]
  if isOther then return false end
end
local archived = archivedError(hash)
if archived then return archived end
local before = {}
for at = 1, #changes, 3 do
  local command, field, value = unpack(changes, at, at + 2)
  before[#before + 1] = redis.call('HGET', hash, field)
  if command == 'HDEL' then
    redis.call('HDEL', hash, field)
  elseif command ~= 'IS' then
    redis.call(command, hash, field, value)
  end
end
return before
