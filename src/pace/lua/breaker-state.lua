-- The circuit breakers, as the scripts know them that include this one: whether calls of a kind (company, document, limit) may leave.
-- KEYS[1] is the breakers, a hash; times are µs of Redis' clock.
--   row:<kind>   unknown answers in a row; the last came at rowAt:<kind>, and was called told:<kind>
--   shut:<kind>  why nothing of this kind leaves but a probe
--   wait, dueAt  µs before the next probe, and when that is: of all tripped kinds together
--   lease        who makes a probe, of the kind `tried`, if it gives a sign before leaseUntil
--   openedAt     when a breaker was reset last
--   good:<kind>  "<token> <time>": the latest call that made something, and when it was sent
--   blamed:<kind>   the one call that was answered 401 with new tokens since then, or * for several; last at blamedAt:<kind>
-- @include numbers
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local KINDS = { 'company', 'document', 'limit' }

local breaker, numbers = {}, {}
local known = redis.call('HGETALL', KEYS[1])
for at = 1, #known, 2 do
  breaker[known[at]] = known[at + 1]
  -- Another server may have taken over with a clock that is behind: what lies ahead of now is over.
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

-- What every script answers, name after name: dueUs (until the next probe), try (the kind that the caller shall try, or ""),
-- isTried (1 while anybody makes a probe), and for each kind whose breaker is tripped: shut:<kind>, why.
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
