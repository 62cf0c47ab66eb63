-- Puts back what a results file knows of a call that this ledger has lost, or only tells what that would be.
-- KEYS[1] the call   KEYS[2] the account, where made things are counted   KEYS[3] list of the buyer's limit ids
-- KEYS[4] the buyer's requests   KEYS[5] the row that asked, one that there is not where it is not known
-- ARGV[1] kind   ARGV[2] "made" or "unknown"   ARGV[3] 1 to write, 0 to look   ARGV[4] id   ARGV[5] what else was answered, as JSON
-- ARGV[6] row that asked, "<portfolio>/<key>" or ""   ARGV[7] digest of what its line asked for, or ""
-- ARGV[8] the row's company   ARGV[9] its documents, "id|id"   ARGV[10] what was heard   ARGV[11] when it was sent, in ms
-- ARGV[12] 1 to count it among what was made   ARGV[13] the limit that was asked for, or ""   ARGV[14] the row's line
-- ARGV[15] when the row was written last, in ms
-- Answers { "put" } | { "known" } | { "differs", id in the ledger }. Repeated, it answers "known": what is made stays so.
-- @include doubts
local call = redis.call('HMGET', KEYS[1], 'state', 'id', 'row')
if call[1] == 'made' then
  if ARGV[2] == 'made' and call[2] ~= ARGV[4] then return { 'differs', call[2] } end
  -- A row that was skipped told of it first.
  if ARGV[3] == '1' and call[3] == '' and ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'row', ARGV[6]) end
  return { 'known' }
end
-- What the ledger takes for under way or in doubt is so, whatever less the file knows.
if ARGV[2] == 'unknown' and (call[1] == 'unknown' or call[1] == 'claimed') then return { 'known' } end
-- So is what it heard of the row later: an answer since then has told what became of the call.
local updated = ARGV[2] == 'unknown' and redis.call('HGET', KEYS[5], 'updated')
if updated and tonumber(updated) > tonumber(ARGV[15]) then return { 'known' } end
if ARGV[3] == '0' then return { 'put' } end
-- Another line of the buyer has to see that there is this one.
if ARGV[13] ~= '' and ARGV[6] ~= '' then
  redis.call('HSETNX', KEYS[4], ARGV[6], ARGV[13])
  redis.call('HSET', KEYS[1], 'line', ARGV[14])
end
redis.call('HDEL', KEYS[1], 'owner')
if ARGV[2] == 'unknown' then
  redis.call('HSET', KEYS[1], 'row', ARGV[6], 'asked', ARGV[7])
  noteDoubt(KEYS[1], ARGV[10], ARGV[11], ARGV[11])
  -- Nobody knows how often it was sent, so "resend" has nothing left: a person says what became of it.
  redis.call('HSET', KEYS[1], 'doubtAt', 0)
  return { 'put' }
end
forgetDoubts(KEYS[1])
redis.call('HSET', KEYS[1], 'state', 'made', 'id', ARGV[4], 'record', ARGV[5], 'row', ARGV[6], 'asked', ARGV[7],
  'company', ARGV[8], 'documents', ARGV[9], 'by', 'a results file')
if ARGV[12] == '1' then
  redis.call('HINCRBY', KEYS[2], 'made:' .. ARGV[1], 1)
  if ARGV[1] == 'limit' then redis.call('RPUSH', KEYS[3], ARGV[4]) end
end
return { 'put' }
