-- Writes down what became of a portfolio's supplier, unless an import has named another one meanwhile.
-- KEYS[1] the portfolio   ARGV[1] the supplier's key   ARGV[2] the supplier with its id or its problem, as JSON
-- ARGV[3] the approval that it waits for, and that will not be given, or ""
-- Answers 1, or 0 when another one is named by now.
-- @include archived
if isArchived(KEYS[1]) then return 0 end
local known = redis.call('HMGET', KEYS[1], 'supplier', 'supplierApproval')
if not known[1] or cjson.decode(known[1]).key ~= ARGV[1] then return 0 end
if ARGV[3] ~= '' then
  if known[2] ~= ARGV[3] then return 0 end
  redis.call('HDEL', KEYS[1], 'supplierApproval')
end
redis.call('HSET', KEYS[1], 'supplier', ARGV[2])
return 1
