-- Compares rows with what is kept of them beside, and mends what differs: the index of their state, that of the cause for which
-- they failed, and their part of the sums. Each is compared in one step, whoever moves it before and afterwards.
-- KEYS[1] the account
-- ARGV[1] the portfolio's name
-- ARGV[2] side of the sums on which the rows are to be from now on, if it still is the portfolio's; or "" to leave them: then rows
-- of an older ledger enter, and those that are held come on the list of such rows as well
-- ARGV[3…] row key, when the row was written whose cause was found, id of that cause, what is known of it, id of the coarser one,
-- what is known of that; or row key and five times "" …
-- Answers { keys of rows that were not in the index of their state, of those not in that of their cause, of those not in the sums as
-- they are, of failed rows that have no known cause }: four lists
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
-- @include note-cause
local NOW = nowText()
-- @include derive
-- @include change
local portfolio = portfolioOf(ARGV[1])
if portfolio.archive then return { {}, {}, {}, {} } end
local side = portfolio.side == ARGV[2] and ARGV[2] or nil
local unplaced, uncaused, untallied, unknown = {}, {}, {}, {}

-- Answers whether it stood there already, with its line.
local function stands(index, row)
  local line = redis.call('ZSCORE', portfolio.hash .. index, row.key)
  if line and tonumber(line) == tonumber(row.line) then return true end
  redis.call('ZADD', portfolio.hash .. index, row.line, row.key)
  return false
end

-- The cause for which the row failed, where it is known now and was not.
local function learnedCause(row, at)
  if row.cause and redis.call('HEXISTS', portfolio.hash .. ':causes', row.cause) == 1 then return nil end
  if ARGV[at + 2] == '' or ARGV[at + 1] ~= laterOf(row, 'updated') then
    unknown[#unknown + 1] = row.key
    return nil
  end
  return keepCause(portfolio.hash .. ':causes', unpack(ARGV, at + 2, at + 5))
end

local function compare(row, at)
  if ARGV[2] == '' and row.state == 'held' then
    redis.call('ZADD', ROOT .. ':held', laterOf(row, 'updated') or 0, portfolio.name .. '/' .. row.key)
  end
  local isPlaced = stands(':state:' .. row.state, row)
  local approval = row.state == 'awaiting' and row.approval
  if approval and not stands(':approval:' .. approval, row) then isPlaced = false end
  if not isPlaced then unplaced[#unplaced + 1] = row.key end
  local learned = isFailedState(row.state) and learnedCause(row, at)
  local cause = isFailedState(row.state) and not learned and row.cause
  if learned or cause and not stands(':cause:' .. cause, row) then uncaused[#uncaused + 1] = row.key end
  local now = change(row, { cause = learned or nil }, nil, askedIn(laterOf(row, 'request')), side)
  local isTallied = row.tally and string.sub(now.tally, 2) == string.sub(row.tally, 2)
  if not isTallied and not learned then untallied[#untallied + 1] = row.key end
end

for at = 3, #ARGV, 6 do
  local row = rowOf(portfolio, ARGV[at])
  if row and tonumber(row.line or '') then compare(row, at) end
end
writeGathered(NOW)
return { unplaced, uncaused, untallied, unknown }
