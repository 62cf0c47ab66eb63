-- Gives the right to a probe back, because no response decided it.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] the lease   ARGV[2] µs before the next probe
-- Answers as in breaker-state.lua. Repeated, it changes nothing.
-- @include breaker-state
if leased == ARGV[1] then
  set('dueAt', now + tonumber(ARGV[2]))
  forget('lease', 'leaseUntil')
end
return answer('')
