-- Compares rows with what is kept of them beside, and mends what differs: the index of their state, that of the cause for which
-- they failed, and their part of the sums. Each is compared in one step, whoever moves it before and afterwards.
-- KEYS[1] the portfolio   KEYS[2] what the keys of its rows begin with
-- ARGV[1] side of the sums on which the rows are to be from now on, if it still is the portfolio's; or "" to leave them: then rows
-- of an older ledger enter, and those that are held come on the list of such rows as well
-- ARGV[2…] row key, when the row was written whose cause was found, id of that cause, what is known of it, id of the coarser one,
-- what is known of that; or row key and five times "" …
-- Answers { keys of rows that were not in the index of their state, of those not in that of their cause, of those not in the sums as
-- they are, of failed rows that have no known cause }: four lists
-- @include tally-row
-- @include note-cause
-- @include held
local portfolio, rows = unpack(KEYS)
-- @include archived
if isArchived(portfolio) then return { {}, {}, {}, {} } end
local side = redis.call('HGET', portfolio, 'side') or 'a'
if side ~= ARGV[1] then side = nil end
local unplaced, uncaused, untallied, unknown, changes = {}, {}, {}, {}, {}

-- Answers whether it stood there already, with its line.
local function stand(index, key, line)
  local known = redis.call('ZSCORE', index, key)
  if known and tonumber(known) == tonumber(line) then return true end
  redis.call('ZADD', index, line, key)
  return false
end

-- Answers whether the row failed for a cause that is known now and was not.
local function learnCause(row, key, found, at)
  if found[3] and redis.call('HEXISTS', portfolio .. ':causes', found[3]) == 1 then return false end
  if ARGV[at + 2] == '' or ARGV[at + 1] ~= found[4] then
    unknown[#unknown + 1] = key
    return false
  end
  noteCause(portfolio, row, unpack(ARGV, at + 2, at + 5))
  return true
end

for at = 2, #ARGV, 6 do
  local key = ARGV[at]
  local row = rows .. key
  local found = redis.call('HMGET', row, 'state', 'line', 'cause', 'updated', 'approval')
  local state, line = found[1], tonumber(found[2] or '')
  if state and line then
    if ARGV[1] == '' and state == 'held' then noteHeld(portfolio, key, nil, state, found[4] or 0) end
    local isPlaced = stand(portfolio .. ':state:' .. state, key, line)
    local approval = state == 'awaiting' and found[5]
    if approval and not stand(portfolio .. ':approval:' .. approval, key, line) then isPlaced = false end
    if not isPlaced then unplaced[#unplaced + 1] = key end
    local learned = false
    if state == 'refused' or state == 'held' then
      learned = learnCause(row, key, found, at)
      local cause = not learned and found[3]
      if learned or (cause and not stand(portfolio .. ':cause:' .. cause, key, line)) then uncaused[#uncaused + 1] = key end
    end
    if retallyRow(portfolio, row, key, requestedOf(row), side, changes) and not learned then untallied[#untallied + 1] = key end
  end
end
applyChanges(portfolio, changes)
return { unplaced, uncaused, untallied, unknown }
