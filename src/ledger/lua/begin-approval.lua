-- Begins what another person is to approve, or goes on with that of the same import where one that died has left it open.
-- KEYS[1] the portfolio   KEYS[2] the approval   KEYS[3] all approvals of the portfolio
-- ARGV[1] its id   ARGV[2] the portfolio's name   ARGV[3] kind   ARGV[4] content: the file and how it is read, or ""
-- ARGV[5] the supplier's key, or ""   ARGV[6] how many fields follow   ARGV[7…] field, value, … then those who asked for it: name, person, …
-- Answers the id of the approval, which is another one's where that is gone on with.
-- @include archived
-- @include move
-- @include approvals
local portfolio, approval, all = unpack(KEYS)
local id, name, kind, content, supplier, fields = unpack(ARGV, 1, 6)
local archived = archivedError(portfolio)
if archived then return archived end
local known = content ~= '' and redis.call('HGET', portfolio, 'approving:' .. content)
if known and standingOf(portfolio, known) == 'open' then
  id, approval = known, approvalKey(portfolio, known)
elseif redis.call('EXISTS', approval) == 0 then
  local now = nowText()
  redis.call('HSET', approval, 'portfolio', name, 'kind', kind, 'standing', 'open', 'asked', now, 'moves', 0, 'rows', 0,
    'content', content, 'noes', redis.call('HGET', string.match(portfolio, '^(.-):portfolio:') .. ':account', 'noes') or '0')
  if fields ~= '0' then redis.call('HSET', approval, unpack(ARGV, 7, 6 + fields)) end
  redis.call('ZADD', all, now, id)
  if content ~= '' then redis.call('HSET', portfolio, 'approving:' .. content, id) end
end
for at = 7 + fields, #ARGV, 2 do redis.call('HSET', approval, 'author:' .. ARGV[at], ARGV[at + 1]) end
if supplier ~= '' then
  redis.call('HSET', approval, 'supplier', supplier)
  local call = callOfSupplier(portfolio, supplier)
  local no = kind == 'answer' and noteAnswerTo(portfolio, call, id) or kind ~= 'answer' and redis.call('HGET', call, 'declined')
  if no then noteNo(portfolio, approval, no) end
  redis.call('HINCRBY', approval, 'moves', 1)
end
return id
