-- Cancels a row of a portfolio that was cancelled, unless a call of its own is under way: that one is answered first,
-- and its outcome counts. So does that of a limit that was made, or may have been.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the workers' signs of life   KEYS[4] the call that makes its limit
-- KEYS[5…] the other calls of its step
-- ARGV[1] row key   ARGV[2] row, "<portfolio>/<key>"   ARGV[3] ms without a sign of life after which a process has vanished
-- Answers "cancelled" | "nothing" to cancel | "under way" | "left", under way at a process that has vanished
-- | "restored": somebody would have sent it again, it waited for an approval, and is what it was before
-- @include archived
-- @include move
-- @include cancelled
-- @include tally
-- @include go-back
-- @include under-way
local portfolio, row = unpack(KEYS, 1, 2)
local key, name, vanishedAfterMs = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line')
local state = found[1]
if not state or not (isOpen(state) or state == 'awaiting') then return 'nothing' end
if not isCancelled(portfolio, row) then return 'nothing' end
local now = nowMs()
-- What somebody said of a held row's call is withdrawn, whatever may have become of that: it is held as before.
local waitedFor = state == 'awaiting' and wasOf(row)
local busy = not (waitedFor and waitedFor.state == 'held') and callUnderWay(name, tonumber(vanishedAfterMs), now)
if busy then return busy end
local was = state == 'awaiting' and goBack(portfolio, row, key, found[2], now)
if not was then moveRow(portfolio, row, key, state, 'cancelled', found[2], now) end
tallyRow(portfolio, row, key)
noteFinish(portfolio, now)
return was and 'restored' or 'cancelled'
