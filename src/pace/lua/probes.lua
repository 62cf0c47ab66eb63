-- Probes: the calls that find out whether the service is back. Each script of this file begins with its name.

-- @script ask-probe
-- Asks for the right to probe a tripped breaker with one call. One process has it at a time, and loses it when its lease expires.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] name of the lease to get or, with ARGV[2] = 1, to prolong ("" without kinds)
-- ARGV[2] 1 if the process has the lease, else 0
-- ARGV[3] µs that a lease lasts   ARGV[4] longest time before a probe, in µs   ARGV[5…] kinds of waiting calls
-- Answers as in breaker-state.lua. Repeated with the same name, it gives the same lease.
-- @include breaker-state
local lasts = tonumber(ARGV[3])
if ARGV[2] == '1' then
  if breaker.lease == ARGV[1] then set('leaseUntil', now + lasts) end
  return answer('')
end
if leased ~= '' and leased == ARGV[1] then return answer(breaker.tried) end
-- A clock that went back must not lengthen the wait.
local dueAt = numbers.dueAt or 0
if numbers.leaseUntil and numbers.leaseUntil > now + lasts then leased = '' end
if leased ~= '' or (dueAt > now and dueAt <= now + tonumber(ARGV[4])) then return answer('') end
-- Kinds take turns, since one may work again while another does not.
local try
for at = 5, #ARGV do
  local kind = ARGV[at]
  if breaker['shut:' .. kind] and (not try or try == breaker.tried) then try = kind end
end
if not try then return answer('') end
set('lease', ARGV[1], 'leaseUntil', now + lasts, 'tried', try)
return answer(try)

-- @script return-probe
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
