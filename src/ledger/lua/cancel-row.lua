-- Cancels a row of a portfolio that was cancelled, unless a call of its own is under way: that one is answered first,
-- and its outcome counts. So does that of a limit that was made, or may have been.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the workers' signs of life   KEYS[4] the call that makes its limit
-- KEYS[5…] the other calls of its step
-- ARGV[1] row key   ARGV[2] row, "<portfolio>/<key>"   ARGV[3] ms without a sign of life after which a process has vanished
-- Answers "cancelled" | "nothing" to cancel | "under way" | "left", under way at a process that has vanished
-- @include move
-- @include cancelled
local portfolio, row, workers = unpack(KEYS, 1, 3)
local key, name, vanishedAfterMs = unpack(ARGV)
local found = redis.call('HMGET', row, 'state', 'line')
local state = found[1]
if state ~= 'queued' and state ~= 'company' and state ~= 'documents' and state ~= 'limit' then return 'nothing' end
if not isCancelled(portfolio, row) then return 'nothing' end
local now = nowMs()
for at = 4, #KEYS do
  local call = redis.call('HMGET', KEYS[at], 'state', 'owner', 'row')
  if call[3] == name then
    if call[1] == 'claimed' then
      local seen = redis.call('ZSCORE', workers, string.match(call[2], '^[^/]+'))
      return seen and tonumber(seen) > now - vanishedAfterMs and 'under way' or 'left'
    end
    if at == 4 and (call[1] == 'unknown' or call[1] == 'made') then return 'under way' end
  end
end
moveRow(portfolio, row, key, state, 'cancelled', found[2], now)
noteFinish(portfolio, now)
return 'cancelled'
