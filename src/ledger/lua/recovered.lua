-- Included where a row comes in whose limit was made: one that was made for this very row is the row's own again, where a results
-- file tells of it (recover-call.lua), with all that the file knew, or where the row alone was gone.
-- Answers whether it is.
local function takeRecovered(row, call, name, isGone)
  local found = redis.call('HMGET', call, 'by', 'row', 'company', 'documents')
  if found[2] ~= name or found[1] ~= 'a results file' and not isGone then return false end
  local buyer = string.match(redis.call('HGET', row, 'request'), '"buyer":"([^"\\]*)"') or ''
  local company = found[3] or redis.call('HGET', string.gsub(call, ':limit:[^:]*$', ':company:') .. buyer, 'id') or ''
  if company ~= '' then redis.call('HSET', row, 'company', company) end
  if (found[4] or '') ~= '' then redis.call('HSET', row, 'documents', found[4]) end
  redis.call('HSET', row, 'step', 'limit')
  return true
end
