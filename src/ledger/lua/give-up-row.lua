-- Gives up one row as a part of a plan, unless a call of its own is under way.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the workers' signs of life   KEYS[4] the call that makes its limit
-- KEYS[5…] the other calls of its step
-- ARGV[1] row key   ARGV[2] row, "<portfolio>/<key>"   ARGV[3] ms without a sign of life after which a process has vanished
-- ARGV[4] state that it must be in   ARGV[5] the moment of the plan in ms   ARGV[6] key of the plan, in the same slot
-- ARGV[7] what is told to the row's story, as JSON
-- Answers "cancelled" | "nothing", since it changed | "under way" | "left", under way at a process that has vanished
-- | "restored": somebody would have sent it again, it waited for an approval, and is what it was before
-- @include archived
-- @include move
-- @include under-way
-- @include tally
-- @include planned
-- @include tell
-- @include go-back
local portfolio, row = unpack(KEYS, 1, 2)
local key, name, vanishedAfterMs, from, before, plan, told = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line')
if found[1] ~= from or not isAsPlanned(row, before) then return 'nothing' end
local now = nowMs()
-- What somebody said of a held row's call is withdrawn, whatever may have become of that: it is held as before.
local waitedFor = from == 'awaiting' and wasOf(row)
local busy = not (waitedFor and waitedFor.state == 'held') and callUnderWay(name, tonumber(vanishedAfterMs), now)
if busy then return busy end
local was = from == 'awaiting' and goBack(portfolio, row, key, found[2], now)
if not was then moveRow(portfolio, row, key, from, 'cancelled', found[2], now) end
tallyRow(portfolio, row, key)
tell(row, now, told)
notePlanned(plan, before)
noteFinish(portfolio, now)
return was and 'restored' or 'cancelled'
