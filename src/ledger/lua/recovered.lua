-- Included where a row comes in whose limit is known from a results file (recover-call.lua): one that was made for this very
-- row, in the ledger that was lost, is the row's own again, with all that the file knew of it.
-- Answers whether it is.
local function takeRecovered(row, call, name)
  local found = redis.call('HMGET', call, 'by', 'row', 'company', 'documents')
  if found[1] ~= 'a results file' or found[2] ~= name then return false end
  if found[3] ~= '' then redis.call('HSET', row, 'company', found[3]) end
  if found[4] ~= '' then redis.call('HSET', row, 'documents', found[4]) end
  redis.call('HSET', row, 'step', 'limit')
  return true
end
