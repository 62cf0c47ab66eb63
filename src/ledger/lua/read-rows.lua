-- Reads the same fields of many rows: one command in place of one a row, and no field's name in the reply.
-- @keys …rows
-- @args …fields
-- @only-reads
-- Answers each row's values in the order of the fields
local values = {}
for at, row in ipairs(rows) do
  values[at] = redis.call('HMGET', row, unpack(fields))
end
return values
