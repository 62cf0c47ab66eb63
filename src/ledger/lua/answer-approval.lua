-- A person answers what waits for approval: only while it waits, as it is now, and none of those who asked for it.
-- KEYS[1] the portfolio   KEYS[2] the approval   KEYS[3] what waits   KEYS[4] what was answered and is not carried out yet
-- KEYS[5] what was answered lately
-- ARGV[1] its id   ARGV[2] the portfolio's name   ARGV[3] "granted" or "declined"   ARGV[4] who answers
-- ARGV[5] `moves` of the approval as it was when its digest was computed   ARGV[6] words   ARGV[7] this answer's own name
-- ARGV[8] of a yes to what was said of calls: how many answers the account had when somebody looked who else said no to that; or ""
-- ARGV[9] who did, as `redone` has it, or "": whoever says yes has to see it first
-- Answers "done", also repeated under its name | "gone" | "answered" | "own" | "changed": it is not complete yet
-- | "again": since its digest was computed, rows came or went; or somebody said no, or may have, that nobody has seen
-- @include archived
-- @include move
local portfolio, approval, waits, answered, lately = unpack(KEYS)
local id, name, answer, by, moves, words, ownName, turns, redone = unpack(ARGV)
local account = string.match(portfolio, '^(.-):portfolio:') .. ':account'
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', approval, 'standing', 'moves', 'asked', 'rows', 'answer')
local standing = found[1]
if standing == answer and found[5] == ownName then return 'done' end
if not standing or standing == 'void' then return 'gone' end
if standing == 'granted' or standing == 'declined' then return 'answered' end
if redis.call('HEXISTS', approval, 'author:' .. by) == 1 then return 'own' end
if standing == 'open' then return 'changed' end
if redone ~= '' and redone ~= redis.call('HGET', approval, 'redone') then
  redis.call('HSET', approval, 'redone', redone)
  redis.call('HINCRBY', approval, 'moves', 1)
  return 'again'
end
if found[2] ~= moves or turns ~= '' and turns ~= (redis.call('HGET', account, 'answers') or '0') then return 'again' end
-- Which answer of the account it is: two may come within a millisecond.
local turn = redis.call('HINCRBY', account, 'answers', 1)
redis.call('HSET', approval, 'standing', answer, 'answeredBy', by, 'answeredAt', nowText(), 'words', words, 'answer', ownName,
  'ofRows', found[4], 'turn', turn)
-- What was answered is told as it was, whatever becomes of its rows.
for _, field in ipairs(redis.call('HKEYS', approval)) do
  local k = string.match(field, '^sum:rows:(.*)$')
  if k then redis.call('HSET', approval, 'sum:asked:' .. k, redis.call('HGET', approval, field)) end
end
-- @include approvals
if answer == 'granted' and redis.call('HGET', portfolio, 'supplierApproval') == id then
  local supplier = cjson.decode(redis.call('HGET', portfolio, 'supplier') or '{}')
  if supplier.key then redis.call('HDEL', callOfSupplier(portfolio, supplier.key), 'declined') end
  redis.call('HDEL', portfolio, 'supplierApproval')
end
redis.call('ZREM', waits, name .. '/' .. id)
redis.call('ZADD', answered, found[3], name .. '/' .. id)
redis.call('ZADD', lately, nowText(), name .. '/' .. id)
redis.call('ZREMRANGEBYRANK', lately, 0, -101)
return 'done'
