-- Included by trip.lua: what settle.lua does where a call's own sender says that it was made, and nobody is in doubt of it.
-- Answers 1, 0 where it is not so and nothing was done, or -1 where this owner wrote it down before: Redis did it, and was asked again
-- since its answer was lost.
local DOUBTS = { 'open', 'doubts', 'doubtAt', 'againAt', 'heard', 'lostAt', 'others' }

local function plainSettle(portfolio, key, it)
  local call = ROOT .. ':call:' .. it.kind .. ':' .. it.thing
  local found = redis.call('HMGET', call, 'state', 'owner', 'at', unpack(DOUBTS))
  if found[1] == 'made' and found[2] == it.owner then return -1 end
  if portfolio.archive or found[1] ~= 'claimed' or found[2] ~= it.owner or not found[3] then return 0 end
  for at = 4, #found do
    if found[at] then return 0 end
  end
  if takeId(call, it.id) then return 0 end
  local took = string.format('%.0f', math.max(0, NOW - found[3]))
  -- First what may fail, if somebody damaged it.
  if it.kind == 'limit' then redis.call('RPUSH', ROOT .. ':buyer:' .. it.buyer .. ':limits', it.id) end
  redis.call('HSET', call, 'state', 'made', 'id', it.id, 'record', it.record, 'row', portfolio.name .. '/' .. key, 'at',
    found[3] .. '+' .. took)
  add(KEYS[1], 'made:' .. it.kind, 1)
  add(portfolio.hash, 'made:' .. it.kind, 1)
  return 1
end
