-- Hears of calls whose outcome is known, made or refused: they end a row of unknown ones. One that was a probe resets its breaker,
-- and lets the other breakers be tried at once.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] lease of the probe that is answered, or ""   ARGV[2] its kind
-- ARGV[3…] four values a kind: the kind, µs since the latest of them was answered, token of the latest that made something or
--   "", µs since that was sent
-- Answers as breaker-state.lua says. Sent twice it says the same.
-- @include breaker-state
for at = 3, #ARGV - 3, 4 do
  local kind, token = ARGV[at], ARGV[at + 2]
  local rowAt = numbers['rowAt:' .. kind]
  -- It may be told of later than an unknown answer that came after it.
  if rowAt and not breaker['shut:' .. kind] and (now - ARGV[at + 1] > rowAt or rowAt > now) then
    forget('row:' .. kind, 'rowAt:' .. kind)
  end
  local sentAt = now - tonumber(ARGV[at + 3])
  local before = tonumber(string.match(breaker['good:' .. kind] or '', ' (%d+)$') or 0)
  if token ~= '' and (sentAt > before or before > now) then
    set('good:' .. kind, token .. ' ' .. string.format('%.0f', sentAt))
    if (numbers['blamedAt:' .. kind] or now) < sentAt then forget('blamed:' .. kind, 'blamedAt:' .. kind) end
  end
end
if ARGV[1] ~= '' and ARGV[1] == leased then
  local kind = ARGV[2]
  forget('shut:' .. kind, 'row:' .. kind, 'rowAt:' .. kind, 'lease', 'leaseUntil')
  set('openedAt', now, 'dueAt', now)
end
return answer('')
