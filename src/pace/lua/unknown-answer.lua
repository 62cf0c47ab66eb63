-- Hears that nobody knows what became of a call. So many in a row, of one kind and of all processes, trip that kind's breaker.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] kind   ARGV[2] why, for people   ARGV[3] a name of this answer   ARGV[4] lease of the probe that it is of, or ""
-- ARGV[5] answers in a row that trip the breaker   ARGV[6] µs before the first probe   ARGV[7] µs before a probe at the most
-- ARGV[8] µs: a breaker that is tripped again so soon after one was reset was reset too early
-- Answers as breaker-state.lua says. Sent twice it counts once.
-- @include breaker-state
local kind, why, longest = ARGV[1], ARGV[2], tonumber(ARGV[7])
local wait = numbers.wait or 0
if breaker['told:' .. kind] == ARGV[3] then return answer('') end
if breaker['shut:' .. kind] then
  -- Those that were on their way when the breaker was tripped say nothing new.
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
