-- Puts back what a results file knows of a call that this ledger has lost, or only tells what that would be.
-- @keys call account limits requests row
-- Limits and requests are the buyer's; the row is the one that asked, or one that there is not where it is not known.
-- @args kind is write id record name asked company documents reason sentAt counts amount line writtenAt
-- is: "made" or "unknown"; write: 1, or 0 to look; record: what else was answered, as JSON; name: "<portfolio>/<key>" of the row that asked,
-- or ""; asked: digest of what its line asked for, or ""; company and documents ("id|id") of the row; reason: why the outcome is unknown;
-- sentAt: when it was sent, in ms; counts: 1 to count it among what was made; amount: the limit that was asked for, or ""; line: the row's;
-- writtenAt: when the row was written last, in ms.
-- Answers { "put" } | { "known" } | { "differs", id in the ledger }. Repeated, it answers "known": what is made stays so.
-- @include doubts
-- @include made-ids
-- @include approvals
local known = redis.call('HMGET', call, 'state', 'id', 'row')
if known[1] == 'made' then
  if is == 'made' and known[2] ~= id then return { 'differs', known[2] } end
  -- A row that was skipped told of it first.
  if write == '1' and known[3] == '' and name ~= '' then redis.call('HSET', call, 'row', name) end
  return { 'known' }
end
-- What the ledger takes for under way or in doubt is so, whatever less the file knows.
if is == 'unknown' and (known[1] == 'unknown' or known[1] == 'claimed') then return { 'known' } end
-- What somebody said no to takes another person's yes, whatever a file says that anybody may have written.
if known[1] == 'unknown' and noToAnswer(string.gsub(account, 'account$', 'portfolio:'), call) then return { 'known' } end
-- So is what became of the row later: an answer since then has told what became of the call.
local updated = is == 'unknown' and redis.call('HGET', row, 'updated')
if updated and tonumber(updated) > tonumber(writtenAt) then return { 'known' } end
-- @include archived
local archived = name ~= '' and archivedError(string.gsub(account, 'account$', 'portfolio:') .. string.match(name, '^[^/]*'))
if archived then return archived end
if write == '0' then return { 'put' } end
-- Another line of the buyer has to see that there is this one.
if amount ~= '' and name ~= '' then
  redis.call('HSETNX', requests, name, amount)
  redis.call('HSET', call, 'line', line)
end
redis.call('HDEL', call, 'owner')
-- Sums of what passed lately count it by that (passed.lua).
redis.call('HSET', call, 'at', writtenAt)
if is == 'unknown' then
  redis.call('HSET', call, 'row', name, 'asked', asked)
  noteDoubt(call, reason, sentAt, sentAt)
  -- Nobody knows how often it was sent, so "resend" has nothing left: a person says what became of it.
  redis.call('HSET', call, 'doubtAt', 0)
  return { 'put' }
end
forgetDoubts(call)
takeId(call, id)
redis.call('HSET', call, 'state', 'made', 'id', id, 'record', record, 'row', name, 'asked', asked,
  'company', company, 'documents', documents, 'by', 'a results file')
if counts == '1' then
  redis.call('HINCRBY', account, 'made:' .. kind, 1)
  if kind == 'limit' then redis.call('RPUSH', limits, id) end
end
return { 'put' }
