-- Gives the right to a probe back, because it brought no answer that tells anything.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] the lease   ARGV[2] µs before the next probe
-- Answers as breaker-state.lua says. Sent twice it does nothing the second time.
-- @include breaker-state
if leased == ARGV[1] then
  set('dueAt', now + tonumber(ARGV[2]))
  forget('lease', 'leaseUntil')
end
return answer('')
