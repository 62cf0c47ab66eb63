-- How the rate grows while the service accepts; needs pace-state.lua.

-- µs of wait from which on a refusal is dear. While it lasts a burst of unknown size comes back, which is then not to be
-- taken for rate: some 0.3 s' worth.
local DEAR, BURST_S = 500000, 0.3

-- Notes where things stand, for a measure of the last two to four seconds alone.
local function mark(pace)
  if now - pace.markAt < 2000000 then return end
  pace.oldMarkAt, pace.oldMarkAccepted, pace.oldMarkLevel = pace.markAt, pace.markAccepted, pace.markLevel
  pace.markAt, pace.markAccepted = now, pace.accepted
  pace.markLevel = now - pace.levelAt < 500000 and pace.level or -1
end

-- Counts accepted calls, and lets the rate grow by them: a service whose answers are slow is not outrun by a clock.
-- One call adds ln 2 / T to the rate, which doubles it in T seconds when calls are accepted as fast as they may leave.
local function count(pace, calls)
  pace.flow = pace.flow * math.exp((pace.flowAt - now) / 600000) + calls / 0.6
  pace.flowAt = now
  pace.accepted = pace.accepted + calls
  mark(pace)
  if calls > 0 then pace.trial = 0 end
  -- Only where the pace is what holds the line back: else nothing was learned of the limit.
  local idle = now - pace.heldAt
  if idle > math.max(500000, 3000000 / pace.rate) then pace.anchorAt = 0 end
  if idle > math.max(150000, 3000000 / pace.rate) then return end
  local dear = pace.cost > DEAR
  -- So many seconds to double the rate, yet no more than this share by one call: few calls say little of a slow service.
  local doubleS, most = 0.2, 0.2
  if pace.phase == 'search' then doubleS, most = dear and 10 or 3, 0.1 end
  if pace.phase == 'hold' then
    -- A look upward that is answered by a long wait may cost 3 % of the time and no more. Until two measures agree the
    -- limit of such a service is felt for at a creep: a rate that is too low costs as much as a wait.
    local patience = math.max(pace.sure == 1 and 6000000 or 2000000, 20000000 / pace.rate)
    local looks = now - pace.since >= math.max(patience, math.min(30 * pace.cost, 30000000))
    if not looks and (not dear or pace.sure == 1) then return end
    doubleS, most = looks and 5 or 100, 0.03
    if not looks then pace.peak = math.max(pace.peak, pace.rate) end
  end
  pace.rate = math.min(pace.rate + calls * math.min(0.693 / doubleS, most * pace.rate), 100000)
  -- Where the limit was, there is none: it has moved, or was another's traffic.
  if pace.phase ~= 'start' and pace.rate > 1.35 * pace.peak then start(pace) end
end
