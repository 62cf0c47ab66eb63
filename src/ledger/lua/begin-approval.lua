-- Begins an approval, or continues the open one that an earlier import of the same file left behind when it died.
-- @keys portfolio approval all
-- Keys: all: the list of all approvals of the portfolio.
-- @args id name kind content supplier fields authors
-- name: the portfolio's; content: the file, how it is read and its supplier, or ""; supplier: its key, or ""; fields: initial fields, as
-- JSON; authors: who asks, as JSON { name: identity }.
-- Answers the id of the approval: another one than `id` if an open approval is continued.
-- @include archived
-- @include move
-- @include approvals
local archived = archivedError(portfolio)
if archived then return archived end
local known = content ~= '' and redis.call('HGET', portfolio, 'approving:' .. content)
if known and standingOf(portfolio, known) == 'open' then
  id, approval = known, approvalKey(portfolio, known)
elseif redis.call('EXISTS', approval) == 0 then
  local now = nowText()
  redis.call('HSET', approval, 'portfolio', name, 'kind', kind, 'standing', 'open', 'asked', now, 'moves', 0, 'rows', 0,
    'content', content, 'noes', redis.call('HGET', string.match(portfolio, '^(.-):portfolio:') .. ':account', 'noes') or '0')
  for field, value in pairs(cjson.decode(fields)) do redis.call('HSET', approval, field, value) end
  redis.call('ZADD', all, now, id)
  if content ~= '' then redis.call('HSET', portfolio, 'approving:' .. content, id) end
end
for author, person in pairs(cjson.decode(authors)) do redis.call('HSET', approval, 'author:' .. author, person) end
if supplier ~= '' then
  redis.call('HSET', approval, 'supplier', supplier)
  local call = callOfSupplier(portfolio, supplier)
  local no = kind == 'answer' and noteAnswerTo(portfolio, call, id) or kind ~= 'answer' and redis.call('HGET', call, 'declined')
  if no then noteNo(portfolio, approval, no) end
  redis.call('HINCRBY', approval, 'moves', 1)
end
return id
