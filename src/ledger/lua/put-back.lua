-- Included where a worker puts a row back that is not approved. Comes behind cancelled.lua.
-- @include approvals
-- "awaiting", as long as somebody may say yes; what was granted meanwhile goes on, and what never will be is given up, unless its
-- limit was sent: then its outcome counts.
local function stateOfWaiting(portfolio, row, limit)
  local approval = redis.call('HGET', row, 'approval')
  local standing = approval and standingOf(portfolio, approval)
  if standing == 'open' or standing == 'waiting' then return 'awaiting' end
  if not approval or standing == 'granted' or isSent(limit) then return 'queued' end
  return 'cancelled'
end
