-- The doors as the scripts know them that include this one: whether calls of a kind (company, document, limit) may leave.
-- KEYS[1] is the doors, a hash; times are µs of Redis' clock.
--   row:<kind>   unknown answers in a row; the last came at rowAt:<kind>, and was called told:<kind>
--   shut:<kind>  why nothing of this kind leaves but a trial
--   wait, dueAt  µs before the next trial, and when that is: of all shut kinds together
--   lease        who makes a trial, of the kind `tried`, if it gives a sign before leaseUntil
--   openedAt     when a door was opened last
--   good:<kind>  "<token> <time>": the latest call that made something, and when it was sent
--   blamed:<kind>   the one call that was answered 401 with new tokens since then, or * for several; last at blamedAt:<kind>
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local KINDS = { 'company', 'document', 'limit' }

local door, numbers = {}, {}
local known = redis.call('HGETALL', KEYS[1])
for at = 1, #known, 2 do
  door[known[at]] = known[at + 1]
  -- Another server may have taken over with a clock that is behind: what lies ahead of now is over.
  numbers[known[at]] = tonumber(known[at + 1])
end
local leased = door.lease and numbers.leaseUntil > now and door.lease or ''

local function set(...)
  local words = { ... }
  for at = 2, #words, 2 do
    door[words[at - 1]] = words[at]
    if type(words[at]) == 'number' then words[at] = string.format('%.17g', words[at]) end
  end
  redis.call('HSET', KEYS[1], unpack(words))
  redis.call('EXPIRE', KEYS[1], 2592000) -- as the pace: an account that was not used for 30 days begins anew
end

local function forget(...)
  for _, name in ipairs({ ... }) do door[name] = nil end
  redis.call('HDEL', KEYS[1], ...)
end

-- What every script answers: { µs until the next trial, kind that the caller shall try or "", 1 while anybody makes a trial,
-- kind, why, kind, why … }.
local function answer(try)
  local tried = door.lease and tonumber(door.leaseUntil) > now and 1 or 0
  local words = { math.max(0, math.ceil((tonumber(door.dueAt) or 0) - now)), try, tried }
  for _, kind in ipairs(KINDS) do
    if door['shut:' .. kind] then
      words[#words + 1], words[#words + 2] = kind, door['shut:' .. kind]
    end
  end
  return words
end
