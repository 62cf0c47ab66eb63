-- Included where a row comes to wait for an approval, or goes back to what it was. Of a row that was not new `was` keeps that, as
-- JSON: its state, its cause and what is known of it, the approval that it had, and which row stood in its place; `answer` of a
-- held one is what somebody says became of its call, and `of` in `was` which call that is.
-- @include approvals
local function wasOf(row)
  local was = redis.call('HGET', row, 'was')
  return was and cjson.decode(was) or nil
end

-- The call that somebody says something of. A no to that is no word on the request: it stands with the call in doubt (`answerDeclined`,
-- the approval), so that whatever is said of it next waits for a yes, in whichever portfolio.
local function callSaid(portfolio, of)
  return string.match(portfolio, '^(.-):portfolio:') .. ':call:' .. string.gsub(of, ' ', ':', 1)
end

-- Binds a row to an approval, or with "" to none, and forgets what it waited for until now.
local function bindRow(row, approval)
  redis.call('HDEL', row, 'was', 'answer')
  if approval == '' then redis.call('HDEL', row, 'approval') else redis.call('HSET', row, 'approval', approval) end
end

-- Whether an import that died left the row waiting: its approval is open, and it was nothing before.
local function isLeftOpen(portfolio, row)
  local approval = redis.call('HGET', row, 'approval') or ''
  return redis.call('HEXISTS', row, 'was') == 0 and standingOf(portfolio, approval) == 'open'
end

-- A line brings a row that waits with the same words. What an import that died left waiting goes on with this one: answers true
-- where nobody asks for an approval of this one, so that the row waits no longer.
local function goesWith(portfolio, row, approval)
  if not isLeftOpen(portfolio, row) then return false end
  if approval ~= '' then redis.call('HSET', row, 'approval', approval) end
  return approval == ''
end
