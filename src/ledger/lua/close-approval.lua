-- Closes an approval to which all rows have come: it waits for a person, or is granted automatically if no rule asks for one.
-- An approval with rows that a person declined before (put.lua) waits in any case.
-- @keys portfolio approval waits answered account
-- Keys: waits: the list of approvals that wait; answered: the list of those that were answered and are not carried out yet.
-- @args id name always above person days seen because …known
-- name: the portfolio's; always: 1 if every portfolio waits; above: limit for the portfolio, and for a buyer, or ""; person: limit for a
-- person, or ""; days: for how many days earlier rows without an approval count; seen: `moves` of the approval when its buyers were
-- checked (passed-above.lua), or ""; because: the reason if no sum is one and none was noted before, or ""; known: the sum above its limit, as
-- `told` (above.lua) has it, if already found.
-- Answers its standing: "waiting" | "granted" | "void", or the one it already had; or "look": its buyers have to be checked (again),
-- since rows came or went. From then on later approvals count its rows.
-- @include archived
-- @include move
-- @include approvals
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', approval, 'standing', 'rows', 'content', 'asked', 'unreadable', 'redone', 'moves', 'ticket', 'supplierMs')
local member = name .. '/' .. id
local hasSupplier = redis.call('HGET', portfolio, 'supplierApproval') == id
if found[1] ~= 'open' then return found[1] or 'void' end
local isEmpty = tonumber(found[2]) == 0 and not hasSupplier and not found[9]
-- @include above
-- @include passed
local rule, waiting, sums = { above = above, person = person, days = tonumber(days) }, {}, redis.call('HGETALL', approval)
for at = 1, #sums, 2 do
  local k = string.match(sums[at], '^sum:rows:(.*)$')
  if k then addLimb(waiting, tonumber(k), sums[at + 1]) end
end

-- The sum for which the approval waits, as `told` (above.lua) has it; {} if it waits for another reason, nil if it does not wait.
local function overWords()
  if #known > 0 then return known end
  if always == '1' then return {} end
  local asked = askedBy(portfolio)
  if above ~= '' and (tonumber(found[5] or 0) > 0 or isAbove(asked, above)) then return told('portfolio', name, asked) end
  for one in pairs(person ~= '' and peopleOf(approval) or {}) do
    local limbs = personOver(rootOf(portfolio), one, rule, waiting)
    if limbs then return told('person', one, limbs) end
  end
end

local over = not isEmpty and overWords()
if not isEmpty and not over and above ~= '' and rule.days > 0 and seen ~= found[7] then
  if not found[8] then redis.call('HSET', approval, 'ticket', redis.call('HINCRBY', account, 'tickets', 1)) end
  return 'look'
end
if not isEmpty and not over and found[6] then over = {} end
local field = 'approving:' .. (found[3] or '')
if redis.call('HGET', portfolio, field) == id then redis.call('HDEL', portfolio, field) end
local standing = isEmpty and 'void' or over and 'waiting' or 'granted'
redis.call('HSET', approval, 'standing', standing)
local function keepSum(as, limbs)
  local words = told(as, '', limbs)
  for at = 3, #words, 2 do redis.call('HSETNX', approval, 'sum:' .. as .. ':' .. words[at], words[at + 1]) end
end
if standing == 'waiting' then
  redis.call('ZADD', waits, found[4], member)
  -- The approval's rows and sum when it began to wait. A later run of this script leaves them as they are.
  redis.call('HSETNX', approval, 'atFirst', found[2])
  keepSum('first', waiting)
  if over[1] then redis.call('HSET', approval, 'over', over[1], 'overOf', over[2], 'limit', over[1] == 'person' and person or above) end
  if not over[1] and because ~= '' then redis.call('HSETNX', approval, 'because', because) end
  for at = 3, #over, 2 do redis.call('HSET', approval, 'sum:over:' .. over[at], over[at + 1]) end
end
if standing == 'granted' then
  redis.call('HSET', approval, 'answeredAt', nowText(), 'answeredBy', '', 'ofRows', found[2], 'words',
    (above ~= '' or person ~= '') and 'below the limit' or 'no approval is asked for')
  keepSum('asked', waiting)
  letSupplierCount(portfolio, approval, id)
  redis.call('ZADD', answered, found[4], member)
  if person ~= '' then
    redis.call('HSET', approval, 'counted', 1)
    countPassed(approval, nowMs(), 1, waiting)
  end
end
return standing
