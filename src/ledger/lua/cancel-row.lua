-- Gives up a row of a portfolio that was given up, unless a call of its own is under way: that one is answered first,
-- and its outcome counts. So does a limit's that was made, or may have been.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the workers' signs of life   KEYS[4] the call that makes its limit
-- KEYS[5…] the other calls of its step
-- ARGV[1] row key   ARGV[2] row, "<portfolio>/<key>"   ARGV[3] ms without a sign of life after which a process has vanished
-- Answers "cancelled" | "nothing" to give up | "under way" | "left", under way at a process that has vanished
-- @include move
-- @include cancelled
local row = redis.call('HMGET', KEYS[2], 'state', 'line', 'step')
local state = row[1]
if state ~= 'queued' and state ~= 'company' and state ~= 'documents' and state ~= 'limit' then return 'nothing' end
if not isCancelled(KEYS[1], KEYS[2]) then return 'nothing' end
local now = nowMs()
for at = 4, #KEYS do
  local call = redis.call('HMGET', KEYS[at], 'state', 'owner', 'row')
  if call[3] == ARGV[2] then
    if call[1] == 'claimed' then
      local seen = redis.call('ZSCORE', KEYS[3], string.match(call[2], '^[^/]+'))
      return seen and tonumber(seen) > now - ARGV[3] and 'under way' or 'left'
    end
    if at == 4 and (call[1] == 'unknown' or call[1] == 'made') then return 'under way' end
  end
end
moveRow(KEYS[1], KEYS[2], ARGV[1], state, 'cancelled', row[2], now)
noteFinish(KEYS[1], now)
return 'cancelled'
