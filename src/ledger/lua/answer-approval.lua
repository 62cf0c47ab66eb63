-- A person answers what waits for approval: only while it waits, as it is now, and none of those who asked for it.
-- @keys portfolio approval waits answered lately
-- The lists of what waits, of what was answered and is not carried out yet, and of what was answered lately.
-- @args id name answer by moves words ownName noes no
-- name: the portfolio's; answer: "granted" or "declined"; by: who answers; moves: of the approval as it was when its digest was computed;
-- ownName: of this answer; noes: of a yes, how many noes the account had when somebody looked whether one of them was to the same, else "";
-- no: the approval of the last such no, or "": whoever says yes has to see it first.
-- Answers "done", also repeated under its name | "gone" | "answered" | "own" | "changed": it is not complete yet
-- | "again": since its digest was computed, rows came or went; or somebody said no, or may have, that nobody has seen
-- @include archived
-- @include move
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
-- @include approvals
if noes ~= '' then
  if noes ~= (redis.call('HGET', account, 'noes') or '0') then return 'again' end
  redis.call('HSET', approval, 'noes', noes)
  if no ~= '' and no ~= redis.call('HGET', approval, 'no') then
    noteNo(portfolio, approval, no)
    redis.call('HINCRBY', approval, 'moves', 1)
    return 'again'
  end
end
if found[2] ~= moves then return 'again' end
-- Which answer of the account it is: two may come within a millisecond.
local turn = redis.call('HINCRBY', account, 'answers', 1)
redis.call('HSET', approval, 'standing', answer, 'answeredBy', by, 'answeredAt', nowText(), 'words', words, 'answer', ownName,
  'ofRows', found[4], 'turn', turn)
-- What was answered is told as it was, whatever becomes of its rows.
for _, field in ipairs(redis.call('HKEYS', approval)) do
  local k = string.match(field, '^sum:rows:(.*)$')
  if k then redis.call('HSET', approval, 'sum:asked:' .. k, redis.call('HGET', approval, field)) end
end
if answer == 'declined' then redis.call('HINCRBY', account, 'noes', 1) end
-- What is said of a supplier holds for all portfolios from this moment on.
if redis.call('HGET', portfolio, 'supplierApproval') == id then
  local supplier = cjson.decode(redis.call('HGET', portfolio, 'supplier') or '{}')
  local call = supplier.key and callOfSupplier(portfolio, supplier.key)
  if call and answer == 'declined' then redis.call('HSET', call, 'declined', id) end
  if call and answer == 'granted' then redis.call('HDEL', call, 'declined') end
  if answer == 'granted' then redis.call('HDEL', portfolio, 'supplierApproval') end
end
redis.call('ZREM', waits, name .. '/' .. id)
redis.call('ZADD', answered, found[3], name .. '/' .. id)
redis.call('ZADD', lately, nowText(), name .. '/' .. id)
redis.call('ZREMRANGEBYRANK', lately, 0, -101)
return 'done'
