-- Writes fields of a portfolio, of the account or of another hash; also while the memory of Redis is full.
-- @keys hash
-- @args …changes
-- "HSET" | "HDEL" | "HINCRBY", field, value ("" for HDEL), "HSET", … In front of these: "IS", field, value ("" for none), where nothing is to
-- be written if it is another by now.
-- Answers what the fields were, or nothing where one is another. Repeated, it counts twice.
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
