-- Included where approvals are read. The field `approval` of a row names its approval.
local function approvalKey(portfolio, id)
  return string.match(portfolio, '^(.-):portfolio:') .. ':approval:' .. id
end

-- "open" | "waiting" | "granted" | "declined" | "void"; false if there is no such approval.
local function standingOf(portfolio, id)
  return redis.call('HGET', approvalKey(portfolio, id), 'standing')
end

-- A request belongs to no portfolio, so answers to it are kept with the call for its limit. `asks`: the approvals that the request waits
-- for, one in each portfolio. `declined`: the approval by which a person last declined it, until another person says yes. `yes`: the
-- number of the account's last answer that said yes; a refusal given before it and carried out later no longer counts.
local function requestOf(portfolio, key)
  return string.sub(portfolio, 1, string.find(portfolio, ':portfolio:', 1, true)) .. 'call:limit:' .. key
end

local function isLaterThan(portfolio, id, yes)
  return not yes or tonumber(redis.call('HGET', approvalKey(portfolio, id), 'turn') or 0) > tonumber(yes)
end

-- The approval by which a person declined the request; nil for none.
local function declinedIn(portfolio, declined, asks, yes)
  if declined then return declined end
  for id in string.gmatch(asks or '', '%S+') do
    if standingOf(portfolio, id) == 'declined' and isLaterThan(portfolio, id, yes) then return id end
  end
end

local function declinedOf(portfolio, request)
  return declinedIn(portfolio, unpack(redis.call('HMGET', request, 'declined', 'asks', 'yes')))
end

-- Who declined by this approval, with the comment.
local function noOf(portfolio, id)
  local known = redis.call('HMGET', approvalKey(portfolio, id), 'answeredBy', 'words')
  return 'by ' .. (known[1] or 'a person') .. (known[2] and known[2] ~= '' and ': ' .. known[2] or '')
end

-- The field `answers` of a call in doubt lists the approvals of people's answers to it. Once one of them was declined, each further answer
-- needs a yes, in any portfolio, until the call is settled (doubts.lua). This function answers the id of the declined approval, or nil. If
-- `yes` is given, the number of one of the account's answers, only approvals declined after that answer count. An approval that was
-- archived with its portfolio counts as declined until a new one is asked for, since its outcome is unknown here. A void approval on which
-- an earlier refusal is noted counts as declined too.
local function noToAnswer(portfolio, call, yes)
  for id in string.gmatch(redis.call('HGET', call, 'answers') or '', '%S+') do
    local known = redis.call('HMGET', approvalKey(portfolio, id), 'standing', 'no')
    local isDeclined = known[1] == 'declined' and isLaterThan(portfolio, id, yes)
    if isDeclined or not known[1] or known[1] == 'void' and known[2] then return id end
  end
end

-- Adds an approval to the field `answers` of a call in doubt, and answers the approval in it that was refused, if any. Void and deleted
-- approvals are dropped: the new one carries their refusal on.
local function noteAnswerTo(portfolio, call, id)
  local answers, no, left = redis.call('HGET', call, 'answers') or '', noToAnswer(portfolio, call), ''
  if string.find(' ' .. answers, ' ' .. id .. ' ', 1, true) then return nil end
  for known in string.gmatch(answers, '%S+') do
    local standing = standingOf(portfolio, known)
    if standing and standing ~= 'void' then left = left .. known .. ' ' end
  end
  redis.call('HSET', call, 'answers', left .. id .. ' ')
  return no
end

-- Notes on an approval that a person declined some of its requests before, by the approval `id`. A person who says yes must see that
-- refusal.
local function noteNo(portfolio, approval, id)
  redis.call('HSET', approval, 'redone', noOf(portfolio, id), 'no', id)
end

-- The call that creates a supplier's company, the same for all portfolios.
local function callOfSupplier(portfolio, key)
  return string.match(portfolio, '^(.-):portfolio:') .. ':call:company:' .. key
end

-- The supplier that a granted import named counts for its portfolio from now on, also if a later import has named another one.
local function letSupplierCount(portfolio, approval, id)
  local named = redis.call('HGET', approval, 'named')
  local waitsFor, last, before = unpack(redis.call('HMGET', portfolio, 'supplierApproval', 'supplier', 'supplierBefore'))
  if waitsFor and (waitsFor == id or last == named) then
    redis.call('HDEL', portfolio, 'supplierApproval', 'supplierBefore')
  elseif named then
    local field, known = 'supplier', last
    if waitsFor or before then field, known = 'supplierBefore', before end
    local counts = cjson.decode(known or '{}')
    if counts.key ~= cjson.decode(named).key or not counts.id then redis.call('HSET', portfolio, field, named) end
  end
end

-- Key of the supplier that was approved, is still to be made, and would not be made once this import is granted; "" for none.
local function displacedBy(portfolio, approval)
  local named = redis.call('HGET', approval, 'named')
  local waitsFor, last, before = unpack(redis.call('HMGET', portfolio, 'supplierApproval', 'supplier', 'supplierBefore'))
  local counts = cjson.decode(named and (before or not waitsFor and last) or '{}')
  if not counts.body or not counts.key or counts.id or counts.problem or counts.key == cjson.decode(named).key then return '' end
  return counts.key
end
