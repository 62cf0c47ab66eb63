-- Gives the right to a trial back, because it brought no answer that tells anything.
-- KEYS[1] the doors, see door-state.lua
-- ARGV[1] the lease   ARGV[2] µs before the next trial
-- Answers as door-state.lua says. Sent twice it does nothing the second time.
-- @include door-state
if leased == ARGV[1] then
  set('dueAt', now + tonumber(ARGV[2]))
  forget('lease', 'leaseUntil')
end
return answer('')
