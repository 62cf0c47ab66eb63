-- Included where it counts whether another person has approved: `approval` of a row names what it is approved with.
local function approvalKey(portfolio, id)
  return string.match(portfolio, '^(.-):portfolio:') .. ':approval:' .. id
end

-- "open" | "waiting" | "granted" | "declined" | "void"; false where there is none of this name.
local function standingOf(portfolio, id)
  return redis.call('HGET', approvalKey(portfolio, id), 'standing')
end

-- A request belongs to no portfolio: what was said of it stands with the call that makes its limit. `asks` has the approvals that it waits
-- for, one in each portfolio, `declined` the one by which a person said no to it, until another says yes, `yes` which answer of the account
-- the last such yes was: a no that was given before it and is carried out after it counts no more.
local function requestOf(portfolio, key)
  return string.sub(portfolio, 1, string.find(portfolio, ':portfolio:', 1, true)) .. 'call:limit:' .. key
end

local function isLaterThan(portfolio, id, yes)
  return not yes or tonumber(redis.call('HGET', approvalKey(portfolio, id), 'turn') or 0) > tonumber(yes)
end

-- The approval by which a person said no; nil where nobody did.
local function declinedIn(portfolio, declined, asks, yes)
  if declined then return declined end
  for id in string.gmatch(asks or '', '%S+') do
    if standingOf(portfolio, id) == 'declined' and isLaterThan(portfolio, id, yes) then return id end
  end
end

local function declinedOf(portfolio, request)
  return declinedIn(portfolio, unpack(redis.call('HMGET', request, 'declined', 'asks', 'yes')))
end

-- Who said no by this approval, and in what words.
local function noOf(portfolio, id)
  local known = redis.call('HMGET', approvalKey(portfolio, id), 'answeredBy', 'words')
  return 'by ' .. (known[1] or 'a person') .. (known[2] and known[2] ~= '' and ': ' .. known[2] or '')
end

-- A call in doubt has in `answers` the approvals in which somebody says what became of it. A no to one of them is no word on the request:
-- whatever is said of the call next waits for a yes, in whichever portfolio, until the call is answered (doubts.lua). Answers the one to
-- which somebody said no, since the answer `yes` of the account where that is given. One that is there no more left with its portfolio, and
-- nobody knows what was said: that counts as a no until somebody is asked anew; so does one that was given up before an earlier no was answered.
local function noToAnswer(portfolio, call, yes)
  for id in string.gmatch(redis.call('HGET', call, 'answers') or '', '%S+') do
    local known = redis.call('HMGET', approvalKey(portfolio, id), 'standing', 'no')
    local isDeclined = known[1] == 'declined' and isLaterThan(portfolio, id, yes)
    if isDeclined or not known[1] or known[1] == 'void' and known[2] then return id end
  end
end

-- Notes one more of them, and answers the one to which somebody said no: of what was given up, or is there no more, the new one speaks from
-- then on.
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

-- Somebody said no before to some of what an approval asks for, by the approval `id`: whoever says yes to it is to see that.
local function noteNo(portfolio, approval, id)
  redis.call('HSET', approval, 'redone', noOf(portfolio, id), 'no', id)
end

-- A supplier is a company, whichever portfolio names it.
local function callOfSupplier(portfolio, key)
  return string.match(portfolio, '^(.-):portfolio:') .. ':call:company:' .. key
end
