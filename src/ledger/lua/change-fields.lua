-- Writes fields of a portfolio, or of the account; also while the memory of Redis is full.
-- @keys hash
-- @args …changes
-- "HSET" | "HDEL" | "HINCRBY", field, value ("" for HDEL), "HSET", …
-- Answers what the fields were. Repeated, it counts twice.
-- @include archived
local archived = archivedError(hash)
if archived then return archived end
local before = {}
for at = 1, #changes, 3 do
  local command, field, value = unpack(changes, at, at + 2)
  before[#before + 1] = redis.call('HGET', hash, field)
  if command == 'HDEL' then redis.call('HDEL', hash, field) else redis.call(command, hash, field, value) end
end
return before
