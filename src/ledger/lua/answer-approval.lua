-- Writes a person's answer to an approval, if the approval still waits, is unchanged, and the person is none of its authors.
-- @keys portfolio approval waits answered lately
-- Keys: waits, answered and lately: the lists of approvals that wait, that were answered and are not carried out yet, and that were
-- answered last.
-- @args id name answer by moves words ownName noes no displaced
-- name: the portfolio's; answer: "granted" or "declined"; by: who answers; moves: the approval's `moves` when its digest was
-- computed; ownName: name of this answer, by which a repetition is recognized; noes: with a yes, the account's number of declined
-- approvals when somebody searched them for the same requests, else "";
-- no: the last other approval by which a person declined one of the same requests, or "": a person who says yes has to see it first;
-- displaced: key of the supplier that is not made after the yes, as the person saw it, or "".
-- Answers "done", also if repeated under its name | "gone" | "answered" | "own" | "changed": it is not complete yet
-- | "again": rows came or went since the digest was computed, or there is, or may be, a refusal that the person has not seen
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
if answer == 'granted' and displacedBy(portfolio, approval) ~= displaced then return 'again' end
-- Number of this answer within the account, for their order: two answers may come within a millisecond.
local turn = redis.call('HINCRBY', account, 'answers', 1)
redis.call('HSET', approval, 'standing', answer, 'answeredBy', by, 'answeredAt', nowText(), 'words', words, 'answer', ownName,
  'ofRows', found[4], 'turn', turn)
-- Keeps the sum of the approval's rows as it was when the person answered, whatever becomes of the rows.
for _, field in ipairs(redis.call('HKEYS', approval)) do
  local k = string.match(field, '^sum:rows:(.*)$')
  if k then redis.call('HSET', approval, 'sum:asked:' .. k, redis.call('HGET', approval, field)) end
end
if answer == 'declined' then redis.call('HINCRBY', account, 'noes', 1) end
-- The answer about a supplier holds for all portfolios from now on.
local isLast = redis.call('HGET', portfolio, 'supplierApproval') == id
local named = redis.call('HGET', approval, 'named') or isLast and redis.call('HGET', portfolio, 'supplier')
local key = cjson.decode(named or '{}').key
local call = key and callOfSupplier(portfolio, key)
if call and answer == 'declined' then redis.call('HSET', call, 'declined', id) end
if call and answer == 'granted' then redis.call('HDEL', call, 'declined') end
if answer == 'granted' then letSupplierCount(portfolio, approval, id) end
redis.call('ZREM', waits, name .. '/' .. id)
redis.call('ZADD', answered, found[3], name .. '/' .. id)
redis.call('ZADD', lately, nowText(), name .. '/' .. id)
redis.call('ZREMRANGEBYRANK', lately, 0, -101)
return 'done'
