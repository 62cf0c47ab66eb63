-- State of the circuit breakers, for the scripts that include this file: whether calls of a kind (company, document, limit) may leave.
-- KEYS[1] is the breakers, a hash; times are µs of Redis' clock.
--   row:<kind>   unknown outcomes in a row; the last one came at rowAt:<kind>, and its report has the name told:<kind>
--   shut:<kind>  why only probes of this kind leave: its breaker is tripped
--   wait, dueAt  µs before the next probe, and its time: for all tripped kinds together
--   lease        holder of the right to a probe of the kind `tried`, until leaseUntil
--   openedAt     when a breaker was last reset
--   good:<kind>  "<token> <time>": token and send time of the latest call that made something
--   blamed:<kind>   the one call that got a 401 with new tokens since then, or * for several; the latest at blamedAt:<kind>
-- @include numbers
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local KINDS = { 'company', 'document', 'limit' }

local breaker, numbers = {}, {}
local known = redis.call('HGETALL', KEYS[1])
for at = 1, #known, 2 do
  breaker[known[at]] = known[at + 1]
  numbers[known[at]] = tonumber(known[at + 1])
end
local leased = breaker.lease and numbers.leaseUntil > now and breaker.lease or ''

local function set(...)
  local fields = { ... }
  for at = 2, #fields, 2 do
    breaker[fields[at - 1]] = fields[at]
    if type(fields[at]) == 'number' then fields[at] = string.format('%.17g', fields[at]) end
  end
  redis.call('HSET', KEYS[1], unpack(fields))
  redis.call('EXPIRE', KEYS[1], N.KEPT_S)
end

local function forget(...)
  for _, name in ipairs({ ... }) do breaker[name] = nil end
  redis.call('HDEL', KEYS[1], ...)
end

-- Every script's answer, name after name: dueUs (until the next probe), try (the kind that the caller must probe, or ""), isTried (1 while
-- a probe is in flight), and for each tripped breaker shut:<kind>, why.
local function answer(try)
  local isTried = breaker.lease and tonumber(breaker.leaseUntil) > now and 1 or 0
  local fields = { 'dueUs', math.max(0, math.ceil((tonumber(breaker.dueAt) or 0) - now)), 'try', try, 'isTried', isTried }
  for _, kind in ipairs(KINDS) do
    if breaker['shut:' .. kind] then
      fields[#fields + 1], fields[#fields + 2] = 'shut:' .. kind, breaker['shut:' .. kind]
    end
  end
  return fields
end
