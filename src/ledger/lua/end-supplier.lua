-- Writes down what became of a portfolio's supplier, unless an import has named another one meanwhile.
-- @keys portfolio
-- @args key supplier approval
-- key: the supplier's; supplier: with its id or its problem, as JSON; approval: for which it waits and which will not be given, or "".
-- Answers 1, or 0 when another one is named by now.
-- @include archived
if isArchived(portfolio) then return 0 end
local known = redis.call('HMGET', portfolio, 'supplier', 'supplierApproval')
if not known[1] or cjson.decode(known[1]).key ~= key then return 0 end
if approval ~= '' then
  if known[2] ~= approval then return 0 end
  redis.call('HDEL', portfolio, 'supplierApproval')
end
redis.call('HSET', portfolio, 'supplier', supplier)
return 1
