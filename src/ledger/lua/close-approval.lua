-- All that belongs to an approval is there: it waits for a person, or is granted by itself where none is asked for.
-- One with rows that a person said no to before (put-row.lua) waits in any case.
-- KEYS[1] the portfolio   KEYS[2] the approval   KEYS[3] what waits   KEYS[4] what was answered and is not carried out yet
-- ARGV[1] its id   ARGV[2] the portfolio's name   ARGV[3] 1 where every portfolio waits   ARGV[4] the sum above which it waits, or ""
-- Answers its standing: "waiting" | "granted" | "void", or what it was already.
-- @include archived
-- @include move
-- @include approvals
local portfolio, approval, waits, answered = unpack(KEYS)
local id, name, always, above = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', approval, 'standing', 'rows', 'content', 'asked', 'unreadable', 'redone')
local member = name .. '/' .. id
local hasSupplier = redis.call('HGET', portfolio, 'supplierApproval') == id
if found[1] ~= 'open' then
  -- Another import of the same file closed it, and this one has named the supplier since: it goes the way of the rows.
  if hasSupplier and found[1] == 'granted' then
    redis.call('HDEL', portfolio, 'supplierApproval')
  elseif hasSupplier and found[1] ~= 'waiting' then
    redis.call('ZADD', answered, found[4] or 0, member)
  end
  return found[1] or 'void'
end
local field = 'approving:' .. (found[3] or '')
if redis.call('HGET', portfolio, field) == id then redis.call('HDEL', portfolio, field) end
local function isAsked()
-- @include above
  return always == '1' or found[6] or above ~= '' and (tonumber(found[5] or 0) > 0 or isAbove(portfolio, above))
end
local standing = 'granted'
if tonumber(found[2]) == 0 and not hasSupplier then standing = 'void' elseif isAsked() then standing = 'waiting' end
redis.call('HSET', approval, 'standing', standing)
if standing == 'waiting' then
  redis.call('ZADD', waits, found[4], member)
  -- What it was at first, for whoever looks at it later: the first time alone, where it is asked twice.
  redis.call('HSETNX', approval, 'atFirst', found[2])
  for _, field in ipairs(redis.call('HKEYS', approval)) do
    local k = string.match(field, '^sum:rows:(.*)$')
    if k then redis.call('HSETNX', approval, 'sum:first:' .. k, redis.call('HGET', approval, field)) end
  end
end
if standing == 'granted' then
  redis.call('HSET', approval, 'answeredAt', nowText(), 'answeredBy', '', 'ofRows', found[2], 'words',
    above == '' and 'no approval is asked for' or 'below the limit')
  for _, field in ipairs(redis.call('HKEYS', approval)) do
    local k = string.match(field, '^sum:rows:(.*)$')
    if k then redis.call('HSET', approval, 'sum:asked:' .. k, redis.call('HGET', approval, field)) end
  end
  if hasSupplier then redis.call('HDEL', portfolio, 'supplierApproval') end
  redis.call('ZADD', answered, found[4], member)
end
return standing
