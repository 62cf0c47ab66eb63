-- Included where a worker puts a row back that is not approved. Comes behind cancelled.lua.
-- @include approvals
-- Why nobody sends a request that a person said no to, as the problem of its row.
local function declinedProblem(portfolio, id)
  return cjson.encode({ step = 'limit', message = 'declined ' .. noOf(portfolio, id) })
end

-- "awaiting", as long as somebody may say yes; what was granted meanwhile goes on, and what never will be is given up, unless its
-- limit was sent: then its outcome counts. Behind it the problem that the row has then, where it has one.
local function stateOfWaiting(portfolio, row, limit)
  local approval = redis.call('HGET', row, 'approval')
  local standing = approval and standingOf(portfolio, approval)
  if standing == 'open' or standing == 'waiting' then return 'awaiting' end
  local declined = declinedOf(portfolio, limit)
  if declined and not isSent(limit) then return 'cancelled', declinedProblem(portfolio, declined) end
  if not approval or standing == 'granted' or isSent(limit) then return 'queued' end
  return 'cancelled'
end
