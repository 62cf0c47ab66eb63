-- Included where rows are tallied one by one (tally.lua), by whoever may have moved them.
-- @include row-tally
-- Rows stand in the index of their cause as long as they are refused or held, and a cause without rows is forgotten.
local function moveCause(portfolio, key, from, to, line)
  if from ~= '' and from ~= to then
    local rows = portfolio .. ':cause:' .. from
    redis.call('ZREM', rows, key)
    if redis.call('EXISTS', rows) == 0 then redis.call('HDEL', portfolio .. ':causes', from) end
  end
  if to ~= '' then redis.call('ZADD', portfolio .. ':cause:' .. to, line, key) end
end

-- Answers whether the row had added something else than it does now. `requested` is given where its words were changed, `side`
-- where it is to be on that side from now on, and `gathered` where many rows are gone through, to apply their changes together.
local function retallyRow(portfolio, row, key, requested, side, gathered)
  local found = redis.call('HMGET', row, 'state', 'line', 'tally', 'replaced', 'cause', 'record', 'approval', 'awaits', 'unpassed')
  local state, line, before = found[1], found[2], found[3]
  if not state then return false end
  if found[5] and state ~= 'refused' and state ~= 'held' then
    redis.call('HDEL', row, 'cause')
    found[5] = false
  end
  -- A row stays on its side; reconcile alone moves it to the other.
  side = side or before and string.match(before, '^[ab]') or redis.call('HGET', portfolio, 'side') or 'a'
  local now = tallyOf(row, side, found, requested)
  if found[8] or state == 'awaiting' then
-- @include approval-tally
    local asks = string.match(now, '^[ab]|%a+|([^|]*)')
    local awaits = state == 'awaiting' and found[7] and found[7] .. '|' .. asks or false
    if found[8] and found[8] ~= awaits then leaveApproval(portfolio, row, key, found[8], limbsOf) end
    if awaits and found[8] ~= awaits then joinApproval(portfolio, row, key, line, found[7], asks, limbsOf(asks)) end
    -- It may be of another line by now.
    if awaits and found[8] == awaits then redis.call('ZADD', portfolio .. ':approval:' .. found[7], line, key) end
  end
  if found[7] and state ~= 'awaiting' then
-- @include people-passed
    local isOut, asks = OUT[state] or false, string.match(now, '^[ab]|%a+|([^|]*)')
    if isOut ~= (found[9] == found[7]) then countRow(portfolio, row, found[7], isOut, asks) end
  end
  if now == before and not found[5] then return false end
  local changes = gathered or {}
  local causeBefore = before and addTally(changes, before, -1) or ''
  moveCause(portfolio, key, causeBefore, addTally(changes, now, 1), line)
  if not gathered then applyChanges(portfolio, changes) end
  if now ~= before then redis.call('HSET', row, 'tally', now) end
  return not before or string.sub(now, 2) ~= string.sub(before, 2)
end
