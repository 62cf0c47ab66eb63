-- Begins to archive a portfolio, if it may be: from then on nothing changes it.
-- KEYS[1] the portfolio   KEYS[2] its imports under way   KEYS[3] its held rows   KEYS[4] its rows that await an approval
-- KEYS[5…] its rows in each of the open states
-- ARGV[1] the state that it comes into, as JSON; "" where it is only asked whether it may
-- Answers { "begun", what it was on its way before, as JSON, or "" }, or why not:
-- { "is", where it is on its way, as JSON } | { "gone" } | { "importing" } | { "open", rows } | { "awaiting", rows } | { "held", rows }
-- | { "supplier" } (its company is still to be made) | { "interrupted" } (its last import did not come to its end) | { "unfinished" }
local portfolio = KEYS[1]
local known = redis.call('HMGET', portfolio, 'archive', 'started', 'importing', 'finished', 'supplier')
-- Of one that was being written when its process died nothing has left Redis.
if known[1] and cjson.decode(known[1]).is ~= 'archiving' then return { 'is', known[1] } end
if not known[2] then return { 'gone' } end
if redis.call('ZCARD', KEYS[2]) > 0 then return { 'importing' } end
local open = 0
for at = 5, #KEYS do open = open + redis.call('ZCARD', KEYS[at]) end
local held, awaiting = redis.call('ZCARD', KEYS[3]), redis.call('ZCARD', KEYS[4])
if open > 0 then return { 'open', tostring(open) } end
if awaiting > 0 then return { 'awaiting', tostring(awaiting) } end
if held > 0 then return { 'held', tostring(held) } end
local supplier = known[5] and cjson.decode(known[5])
if supplier and supplier.body and not supplier.id and not supplier.problem then return { 'supplier' } end
if known[3] then return { 'interrupted' } end
if not known[4] then return { 'unfinished' } end
if ARGV[1] ~= '' then redis.call('HSET', portfolio, 'archive', ARGV[1]) end
return { 'begun', known[1] or '' }
