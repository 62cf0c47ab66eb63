-- Reports a call's unknown outcome. Several in a row, of one kind and of all processes, trip that kind's breaker.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] kind   ARGV[2] why, for people   ARGV[3] a name of this report   ARGV[4] lease, if the call was a probe, or ""
-- ARGV[5] unknown outcomes in a row that trip the breaker   ARGV[6] µs before the first probe   ARGV[7] longest time before a probe, in µs
-- ARGV[8] µs: if a breaker trips again so soon after a reset, the reset was too early
-- Answers as in breaker-state.lua. Repeated, it counts once.
-- @include breaker-state
local kind, why, longest = ARGV[1], ARGV[2], tonumber(ARGV[7])
local wait = numbers.wait or 0
if breaker['told:' .. kind] == ARGV[3] then return answer('') end
if breaker['shut:' .. kind] then
  -- Calls in flight when the breaker tripped say nothing new.
  if ARGV[4] == '' or ARGV[4] ~= leased then return answer('') end
  wait = math.min(2 * wait, longest)
  set('shut:' .. kind, why, 'told:' .. kind, ARGV[3], 'wait', wait, 'dueAt', now + wait)
  forget('lease', 'leaseUntil')
  return answer('')
end
local row = (numbers['row:' .. kind] or 0) + 1
set('row:' .. kind, row, 'rowAt:' .. kind, now, 'told:' .. kind, ARGV[3])
if row < tonumber(ARGV[5]) then return answer('') end
local others = false
for _, other in ipairs(KINDS) do others = others or breaker['shut:' .. other] ~= nil end
if not others then
  local relapse = numbers.openedAt and now - numbers.openedAt < math.max(tonumber(ARGV[8]), wait)
  wait = relapse and math.min(2 * wait, longest) or tonumber(ARGV[6])
  set('wait', wait, 'dueAt', now + wait)
end
set('shut:' .. kind, why)
return answer('')
