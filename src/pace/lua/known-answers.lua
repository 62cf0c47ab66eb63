-- Reports calls with a known outcome, made or refused, which end a row of unknown ones. A probe among them resets its breaker, and the
-- other tripped breakers may be probed at once.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] lease of the answered probe, or ""   ARGV[2] its kind
-- ARGV[3…] four values for each kind: the kind; µs since its latest response; token of the latest call that made something, or ""; µs since
--   that call was sent
-- Answers as in breaker-state.lua. Repeated, it changes nothing more.
-- @include breaker-state
for at = 3, #ARGV - 3, 4 do
  local kind, token = ARGV[at], ARGV[at + 2]
  local rowAt = numbers['rowAt:' .. kind]
  -- A known outcome may be reported after an unknown one that came later.
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
