-- Restores a call that this ledger has lost from a results file, or only says what would be restored.
-- @keys call account limits requests row
-- Keys: limits and requests: the buyer's lists; row: the row for which the call was sent, or a missing key if that is unknown.
-- @args kind is write id record name asked company documents reason sentAt counts amount line writtenAt
-- is: "made" or "unknown"; write: 1, or 0 to only check; record: the rest of the response, as JSON; name: "<portfolio>/<key>" of the row,
-- or ""; asked: digest of its line's request, or ""; company and documents ("id|id"): of the row; reason: why the outcome is unknown;
-- sentAt: when it was sent, in ms; counts: 1 to count it as made; amount: the requested limit, or ""; line: the row's; writtenAt: when
-- the row was last written, in ms.
-- Answers { "put" } | { "known" } | { "differs", id in the ledger }. Repeated, it answers "known": a made call stays.
-- @include doubts
-- @include made-ids
-- @include approvals
local known = redis.call('HMGET', call, 'state', 'id', 'row')
if known[1] == 'made' then
  if is == 'made' and known[2] ~= id then return { 'differs', known[2] } end
  -- A skipped row of the file names no row of the call, and may come before the row for which the call was sent. That row is added to a
  -- call that lacks it.
  if write == '1' and known[3] == '' and name ~= '' then redis.call('HSET', call, 'row', name) end
  return { 'known' }
end
-- A call that the ledger has as under way or in doubt stays so: the file knows less.
if is == 'unknown' and (known[1] == 'unknown' or known[1] == 'claimed') then return { 'known' } end
-- An answer that a person declined needs another person's yes; a file, which anybody may have written, does not replace it.
if known[1] == 'unknown' and noToAnswer(string.gsub(account, 'account$', 'portfolio:'), call) then return { 'known' } end
-- If the row changed after the file was written, somebody has told the outcome of the call since.
local updated = is == 'unknown' and redis.call('HGET', row, 'updated')
if updated and tonumber(updated) > tonumber(writtenAt) then return { 'known' } end
-- @include archived
local archived = name ~= '' and archivedError(string.gsub(account, 'account$', 'portfolio:') .. string.match(name, '^[^/]*'))
if archived then return archived end
if write == '0' then return { 'put' } end
-- The request enters the buyer's list, so that later lines of the buyer find it.
if amount ~= '' and name ~= '' then
  redis.call('HSETNX', requests, name, amount)
  redis.call('HSET', call, 'line', line)
end
redis.call('HDEL', call, 'owner')
-- The sums of rows that recently needed no approval use this time (passed.lua).
redis.call('HSET', call, 'at', writtenAt)
if is == 'unknown' then
  redis.call('HSET', call, 'row', name, 'asked', asked)
  noteDoubt(call, reason, sentAt, sentAt)
  -- The number of sends is unknown, so "resend" may send no more: a person has to find out.
  redis.call('HSET', call, 'doubtAt', 0)
  return { 'put' }
end
forgetDoubts(call)
local other = takeId(call, id)
if other and kind == 'limit' then noteShared(call, other, name ~= '' and name or string.match(call, '[^:]*$')) end
redis.call('HSET', call, 'state', 'made', 'id', id, 'record', record, 'row', name, 'asked', asked,
  'company', company, 'documents', documents, 'by', 'a results file')
if counts == '1' then
  redis.call('HINCRBY', account, 'made:' .. kind, 1)
  if kind == 'limit' then redis.call('RPUSH', limits, id) end
end
return { 'put' }
