-- State of the pace, for the scripts that include this file. KEYS[1] is the pace, a hash; times are µs of Redis' clock.
--   rate      calls a second that may leave         phase  start (doubles), search (climbs), hold (stays, then tests higher rates)
--   peak      the limit, as far as known            sure   1 if two measures agree
--   since     when the phase began; or the end of a dear wait that led to it      cost  µs of wait that the last refusal asked for
--   accepted  calls accepted in all                 flow   recent mean of accepted calls a second (at savedAt)
--   sinceAccepted  accepted at the last change of the rate      measured  the result of the last measure
--   marks     time, accepted and remainder at moments from which rates are measured: the first and the latest
--   level     the last stated remainder, at levelAt      full  the largest one since the last refusal that lowered the rate
--   low       the last remainder above the brink, or the one that lowered the rate
--   windowAt  when a window last began anew or was used up     windowFrom  the same, or when windows were first stated; windowAccepted:
--             calls accepted in all by then
--   heldAt    when a call last waited for the pace      tat  when the next permit is free
--   until     no call leaves before it: why (as text), because (in one word)
--   trial     1 while one call at a time tries the service, the next at tryAt      strikes  blocks in a row without an accepted call
--   episode   counts blocks and foreseen cuts of the rate      stated, spare  calls a second by the service's headers
--   spareUntil     the end of the time for which `spare` applies      throttled  all refusals for calls that came too fast
--   savedAt   when this was written
-- @include numbers
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local TIMES = { 'tat', 'until', 'tryAt', 'since', 'levelAt', 'windowAt', 'windowFrom', 'heldAt', 'spareUntil', 'savedAt' }

local stored = {}

-- Reads the stored pace, or makes a new one with the initial rate `firstRate` (calls a second).
local function readState(firstRate)
  local pace = { tat = now, ['until'] = 0, why = '', because = '', strikes = 0, trial = 0, tryAt = 0,
    episode = 0, rate = firstRate, phase = 'start', peak = 0, sure = 0, since = now, cost = 0, accepted = 0, throttled = 0, flow = 0,
    sinceAccepted = 0, measured = 0, marks = '', level = 0, levelAt = 0, full = 0, low = 0, windowAt = 0, windowFrom = 0,
    windowAccepted = 0, heldAt = 0, stated = 0, spare = 0, spareUntil = 0, savedAt = now }
  local fields = redis.call('HGETALL', KEYS[1])
  for at = 1, #fields, 2 do
    local value = tonumber(fields[at + 1]) or fields[at + 1]
    pace[fields[at]], stored[fields[at]] = value, value
  end
  -- After a takeover by a server whose clock is behind, all times move back with it.
  local ahead = pace.savedAt - now
  if ahead > N.CLOCK_BEHIND then
    for _, name in ipairs(TIMES) do pace[name] = pace[name] - ahead end
    pace.marks = ''
  end
  return pace
end

-- Writes the changed fields: most permits change a quarter of them.
local function writeState(pace)
  pace.savedAt = now
  local fields = {}
  for name, value in pairs(pace) do
    if value ~= stored[name] then
      fields[#fields + 1] = name
      fields[#fields + 1] = type(value) == 'number' and string.format('%.17g', value) or value
    end
  end
  if #fields > 0 then redis.call('HSET', KEYS[1], unpack(fields)) end
  redis.call('EXPIRE', KEYS[1], N.KEPT_S)
end

-- Starts the phase in which the rate doubles, as when nothing is known of the service's limit.
local function startDoubling(pace)
  pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'start', now, pace.accepted, ''
end

-- Recent mean of accepted calls a second, as of now.
local function flowNow(pace)
  return pace.flow * math.exp((pace.savedAt - now) / N.FLOW_FADE)
end

-- Whether the pace limits the calls, with permits that are `interval` µs apart.
local function isLimiting(pace, interval)
  return now - pace.heldAt < N.LIMITS_FOR + N.LIMITS_FOR_PERMITS * interval
end
