-- Writes down what became of a portfolio's supplier, unless an import has named another one meanwhile.
-- KEYS[1] the portfolio   ARGV[1] the supplier's key   ARGV[2] the supplier with its id or its problem, as JSON
-- Answers 1, or 0 when another one is named by now.
local known = redis.call('HGET', KEYS[1], 'supplier')
if not known or cjson.decode(known).key ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'supplier', ARGV[2])
return 1
