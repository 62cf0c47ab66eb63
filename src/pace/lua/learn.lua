-- The learned rate, for the scripts that include this one. KEYS[1] is the pace, a hash; times are µs of Redis' clock.
--   rate     calls a second that may leave          phase  start (doubles), search (climbs), hold (stays, then probes)
--   peak     where the limit was met last           sure   1 where two measures agree    since, cost  of the last cut:
--            when, and the µs of wait that it led to
--   accepted calls accepted in all                  flow   the same, a second, lately    flowAt, heldAt, anchor...
--   tat      when the next turn is free             until  nothing leaves before         why, strikes, trial, episode
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function load(first)
  local pace = { tat = 0, ['until'] = 0, why = '', strikes = 0, strikeAccepted = 0, trial = 0, tryAt = 0, episode = 0,
    rate = first, phase = 'start', peak = 0, since = 0, cost = 0, accepted = 0, flow = 0, flowAt = now, heldAt = 0,
    anchorAt = 0, anchorAccepted = 0, anchorLevel = 0, armed = 1, sure = 0, askedAt = now, stated = 0, spare = 0, spareUntil = 0 }
  local known = redis.call('HGETALL', KEYS[1])
  for at = 1, #known, 2 do pace[known[at]] = tonumber(known[at + 1]) or known[at + 1] end
  return pace
end

local function save(pace)
  local words = {}
  for name, value in pairs(pace) do
    words[#words + 1] = name
    words[#words + 1] = type(value) == 'number' and string.format('%.17g', value) or value
  end
  redis.call('HSET', KEYS[1], unpack(words))
  redis.call('EXPIRE', KEYS[1], 2592000) -- an account that was not used for 30 days begins anew
end

-- Counts accepted calls, and lets the rate grow by them: a service whose answers are slow is not outrun by a clock.
-- One call adds ln 2 / T to the rate, which doubles it in T seconds when calls are accepted as fast as they may leave.
local function count(pace, calls)
  pace.flow = pace.flow * math.exp((pace.flowAt - now) / 600000) + calls / 0.6
  pace.flowAt = now
  pace.accepted = pace.accepted + calls
  if calls > 0 then pace.trial = 0 end
  -- Only where the pace is what holds the line back: else nothing was learned of the limit.
  if now - pace.heldAt > math.max(1000000, 3000000 / pace.rate) then
    pace.anchorAt = 0
    return
  end
  local dear = pace.cost > 500000
  local doubleS = 0.2
  if pace.phase == 'search' then doubleS = dear and 10 or 3 end
  if pace.phase == 'hold' then
    -- A look upward that is answered by a long wait may cost 3 % of the time and no more.
    if now - pace.since < math.min(math.max(pace.sure == 1 and 6000000 or 2000000, 30 * pace.cost), 30000000) then return end
    doubleS = 5
  end
  pace.rate = math.min(pace.rate + calls * 0.693 / doubleS, 100000)
  -- Where the limit was, there is none: it has moved, or was another's traffic.
  if pace.phase ~= 'start' and pace.rate > 1.35 * pace.peak then
    pace.phase = 'start'
    pace.anchorAt = 0
  end
end

-- The limit was met, or will be with the next `level` calls. Between two such moments the service's allowance went from
-- nothing to nothing, so what it accepted meanwhile is what it lets through, whatever burst it allows.
local function cut(pace, level, wait)
  local spanS = (now - pace.anchorAt) / 1000000
  local taken = pace.accepted - pace.anchorAccepted + pace.anchorLevel - level
  if pace.anchorAt > 0 and spanS >= 0.5 and taken >= 5 then
    local peak = taken / spanS
    -- A process that stood still lets calls crowd, and the service's allowance overflows meanwhile: what was measured
    -- is too little then. So one measure takes the rate down a little; a limit that fell is met again at once.
    local least = pace.phase == 'hold' and 0.92 * math.min(pace.rate, pace.peak) or 0.7 * pace.rate
    -- While a long wait lasted, the burst came back, and is not to be taken for rate.
    local share = pace.cost > 500000 and 0.96 or 0.98
    pace.sure = pace.phase == 'hold' and math.abs(peak - pace.peak) < 0.05 * peak and 1 or 0
    pace.rate = math.max(math.min(share * peak, 0.98 * pace.rate), least)
    pace.peak, pace.phase = math.max(peak, pace.rate), 'hold'
  else
    local rate = 0.75 * pace.rate
    -- A doubling overshoots by what the burst hides; what was accepted in the last 0.6 s is near the truth.
    if pace.phase == 'start' then rate = math.max(math.min(rate, 0.98 * pace.flow), 0.25 * pace.rate) end
    pace.peak = pace.rate
    pace.rate = rate
    pace.phase = 'search'
  end
  pace.rate = math.max(pace.rate, 1 / 60) -- a call a minute: slower than that, nothing could be learned any more
  pace.since, pace.cost, pace.armed = now, wait, 0
  pace.anchorAt = wait > 500000 and now + wait or now
  pace.anchorAccepted, pace.anchorLevel = pace.accepted, level
end
