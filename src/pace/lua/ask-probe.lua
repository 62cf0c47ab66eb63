-- Asks for the right to try a tripped breaker with one call; one process of the fleet has it at a time, and loses it when it gives
-- no sign of life.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] name of the lease that is asked for ("" where no kind is given), or that the process has
-- ARGV[2] 1 where it has it: then it is prolonged
-- ARGV[3] µs that a lease lasts   ARGV[4] µs before a probe at the most   ARGV[5…] kinds that somebody waits for
-- Answers as breaker-state.lua says. Asked twice under one name it is granted once.
-- @include breaker-state
local lasts = tonumber(ARGV[3])
if ARGV[2] == '1' then
  if breaker.lease == ARGV[1] then set('leaseUntil', now + lasts) end
  return answer('')
end
if leased ~= '' and leased == ARGV[1] then return answer(breaker.tried) end
-- A clock that went back must not make anybody wait for longer than was meant.
local dueAt = numbers.dueAt or 0
if numbers.leaseUntil and numbers.leaseUntil > now + lasts then leased = '' end
if leased ~= '' or (dueAt > now and dueAt <= now + tonumber(ARGV[4])) then return answer('') end
-- Each tripped kind in its turn, since one of them may be served again while another is not.
local try
for at = 5, #ARGV do
  local kind = ARGV[at]
  if breaker['shut:' .. kind] and (not try or try == breaker.tried) then try = kind end
end
if not try then return answer('') end
set('lease', ARGV[1], 'leaseUntil', now + lasts, 'tried', try)
return answer(try)
