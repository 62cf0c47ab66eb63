-- Included by trip.lua: what settle.lua and then advance.lua do where a call's own sender says that it was made, and its row goes on from
-- where that saw it. Both or neither.
-- Answers nothing where it is not so, and else what was found of the row, as plain-claim.lua wants it; where it goes to "", its call alone is written down.
local DOUBTS = { 'open', 'doubts', 'doubtAt', 'againAt', 'heard', 'lostAt', 'others' }

-- Of what the step brought: the ids that the row is searched by from now on, or nil where something is put in the place of what it had.
local function newIds(had, fields)
  local ids = {}
  for at = 1, #fields, 2 do
    local before = had[fields[at]]
    if before and before ~= fields[at + 1] then return nil end
    if before == false then
      for id in string.gmatch(fields[at + 1], '[^|]+') do ids[#ids + 1] = id end
    end
  end
  return ids
end

local function indexDone(portfolio, key, line, tally, status)
  local amount, column = amountOf(tally), math.floor((tonumber(line) or 0) / LINES_OF_COLUMN)
  local size, ofStatus = sizeOf(amount), statusColumns(portfolio, status)
  redis.call('ZREM', columnKey(portfolio, size, column, ''), key)
  putInColumn(portfolio, key, columnKey(portfolio, size, column, ofStatus), size .. ' ' .. ofStatus, amount)
end

local function noteMade(made, claimedAt)
  local took = string.format('%.0f', math.max(0, now - claimedAt))
  -- First what may fail, if somebody damaged it.
  if made.kind == 'limit' then redis.call('RPUSH', made.limits, made.id) end
  redis.call('HSET', made.call, 'state', 'made', 'id', made.id, 'record', made.record, 'row', made.name, 'at', claimedAt .. '+' .. took)
  addPlain(KEYS[1], 'made:' .. made.kind, 1)
  addPlain(made.portfolio, 'made:' .. made.kind, 1)
end

-- Redis did it, and was asked again since its answer was lost.
local function isMadeBy(call, owner)
  local known = redis.call('HMGET', call, 'state', 'owner')
  return known[1] == 'made' and known[2] == owner
end

local function plainEnd(made, moved, fields)
  local portfolio, row, known = made.portfolio, made.row, portfolioOf(made.portfolio)
  local call = redis.call('HMGET', made.call, 'state', 'owner', 'at', unpack(DOUBTS))
  if known.archive or call[1] ~= 'claimed' or call[2] ~= made.owner or not call[3] then return nil end
  for at = 4, #call do
    if call[at] then return nil end
  end
  local found = redis.call('HMGET', row, 'state', 'gen', 'rev', 'approval', 'line', 'tally', 'company', 'documents', 'limit', 'problem',
    'cause', 'putOffs', 'countedAt')
  if moved.to == '' then
    if not found[1] or takeId(made.call, made.id) then return nil end
    noteMade(made, call[3])
    keepPlain()
    return found
  end
  if found[1] ~= moved.from or (found[3] or '0') ~= moved.revision or not tonumber(found[5]) then return nil end
  if known.finished or known.others or moved.answer ~= '' and moved.refusals ~= '0' and known.canary[moved.from] ~= 'ok' then return nil end
  local ids = newIds({ company = found[7], documents = found[8], limit = found[9] }, fields)
  -- Nothing is tallied where the id is another's.
  if not ids or takeId(made.call, made.id) then return nil end
  local tally = tallyMove(portfolio, found[6], moved.from, moved.to, moved.granted, moved.available, moved.status)
  if not tally then return nil end
  noteMade(made, call[3])
  local at, step = #fields, isOpen(moved.to) and 'step' or nil
  fields[at + 1], fields[at + 2], fields[at + 3], fields[at + 4] = 'tally', tally, 'state', moved.to
  fields[at + 5], fields[at + 6], fields[at + 7], fields[at + 8] = 'updated', now, step, step and moved.to
  redis.call('HSET', row, unpack(fields))
  keepPlain()
  if found[10] or found[11] or found[12] or found[13] then forgetTries(row) end
  takeFrom(portfolio .. ':state:' .. moved.from, made.key)
  putInto(portfolio .. ':state:' .. moved.to, found[5], made.key)
  if moved.to == 'done' then ended[portfolio] = true end
  local level = (#ids > 0 or moved.status ~= '') and searchLevel(portfolio)
  if level then
    for _, id in ipairs(ids) do addId(portfolio, digestOfId(id), made.key, level) end
    if moved.status ~= '' then indexDone(portfolio, made.key, found[5], tally, moved.status) end
  end
  return found
end
