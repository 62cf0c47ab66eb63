-- Included by trip.lua: what claim.lua does for a call that nobody has ever asked for, of a row that goes on. Answers whether it is claimed.
-- Of a row at which nothing else is looked, what a claim goes by.
local function claimant(portfolio, key)
  local found = redis.call('HMGET', portfolio.rows .. key, 'state', 'gen', 'rev', 'approval')
  return found[1] and { portfolio = portfolio, key = key, state = found[1], gen = found[2], rev = found[3], approval = found[4] } or nil
end

local function plainClaim(portfolio, row, it)
  local state, approval = row.state, row.approval
  if portfolio.archive or portfolio.paused or isGivenUpRow(row) or state == 'refused' or (row.rev or '0') ~= it.revision then return false end
  if approval and not isGranted(portfolio, approval) then return false end
  local call, request = ROOT .. ':call:' .. it.kind .. ':' .. it.thing, requestOf(portfolio.hash, row.key)
  local of = redis.call('HMGET', request, 'declined', 'asks', 'state', 'answers')
  if of[1] or of[2] or of[4] then return false end
  if call == request and of[3] or call ~= request and redis.call('EXISTS', call) == 1 then return false end
  if not mayLeave(ROOT .. ':marks', it.mark, it.link) then return false end
  redis.call('HSET', call, 'state', 'claimed', 'owner', it.owner, 'row', portfolio.name .. '/' .. row.key, 'first', it.owner,
    'words', it.words, 'asked', it.asked, 'at', NOW, 'sends', '1')
  add(portfolio.hash, 'calls:' .. it.kind, 1)
  return true
end
