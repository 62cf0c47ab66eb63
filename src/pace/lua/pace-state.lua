-- The pace as the scripts know it that include this one. KEYS[1] is the pace, a hash; times are µs of Redis' clock.
--   rate      calls a second that may leave         phase  start (doubles), search (climbs), hold (stays, then looks up)
--   peak      where the limit is, as far as known        sure   1 where two measures agree
--   since     when the phase began, or nothing leaves before that      cost  µs of wait that the last refusal asked for
--   accepted  calls accepted in all                 flow   the same, a second, lately (at savedAt)
--   sinceAccepted  accepted by then                 measured  what the last measure gave
--   marks     times, accepted and left then, from which measures are taken: the first and the latest
--   level     what the service said is left, at levelAt      full  the most that it said since a refusal
--   low       what it said last above the brink, or when it led to a lower rate
--   windowAt  when a window of the service's was seen to begin anew, or used up     windowFrom  the same, or when it was first heard, with so
--             many calls (windowAccepted) accepted in all by then
--   heldAt    when the pace limited somebody last   tat  when the next permit is free
--   until     nothing leaves before it: why (in words), because (in one)
--   trial     1 while it is probed: one call at a time, at tryAt      strikes  refusals with nothing accepted in between
--   episode   counts what changed the rate          stated, spare  calls a second by the service's words
--   throttled refused for being too fast, in all
--   savedAt   when this was written
-- @include numbers
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local TIMES = { 'tat', 'until', 'tryAt', 'since', 'levelAt', 'windowAt', 'windowFrom', 'heldAt', 'spareUntil', 'savedAt' }

local stored = {}

-- The pace as it stands, or as it begins where there is none, at that rate.
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
  -- Another server may have taken over, with a clock that is behind: all that was to come comes as soon as before.
  local ahead = pace.savedAt - now
  if ahead > N.CLOCK_BEHIND then
    for _, name in ipairs(TIMES) do pace[name] = pace[name] - ahead end
    pace.marks = ''
  end
  return pace
end

-- Writes what has changed: most permits change a quarter of it.
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

-- Begins to double, as where nothing is known.
local function startDoubling(pace)
  pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'start', now, pace.accepted, ''
end

-- Calls a second that were accepted lately, as of now.
local function flowNow(pace)
  return pace.flow * math.exp((pace.savedAt - now) / N.FLOW_FADE)
end

-- Whether the pace is what limits us, with permits so many µs apart.
local function isLimiting(pace, interval)
  return now - pace.heldAt < N.LIMITS_FOR + N.LIMITS_FOR_PERMITS * interval
end
