-- How the rate grows while the service accepts; needs pace-state.lua.

-- µs of wait from which on a refusal is dear. While it lasts a burst of unknown size comes back, which is then not to be
-- taken for rate: some 0.3 s' worth.
local DEAR, BURST_S = 500000, 0.3

-- µs for which a service is known to count by windows, after one of them was seen to begin anew.
local WINDOW = 10000000

-- With so many calls left the rate is cut, before a refusal cuts it: two fifths of the most that was ever left, so that
-- a stall of ours still fits in, or three while the rate doubles; and no less than the calls of the last 50 ms, which are
-- on their way and take from them still. Nothing where the service does not say what is left, or never leaves enough.
local function brink(pace)
  local calls = math.max(1, 0.05 * pace.rate, (pace.phase == 'start' and 0.6 or 0.4) * pace.full)
  local isTold = now - pace.levelAt < 2000000 and now - pace.windowAt > WINDOW
  return isTold and pace.full >= 1.5 * calls and calls or nil
end

-- Notes what was accepted so far, and what the service said is left then, -1 where it did not say. The first mark stays,
-- which after a cut is where the limit was met, and so do the fifteen latest.
local function mark(pace, at, level)
  pace.marks = pace.marks .. string.format('%.17g %.17g %.17g;', at, pace.accepted, level)
  local _, count = string.gsub(pace.marks, ';', '')
  if count > 16 then pace.marks = string.gsub(pace.marks, ';[^;]*;', ';', 1) end
  pace.markAt = at
end

-- Counts accepted calls, and lets the rate grow by them: a service whose answers are slow is not outrun by a clock.
-- One call adds ln 2 / T to the rate, which doubles it in T seconds when calls are accepted as fast as they may leave.
local function count(pace, calls)
  pace.flow = pace.flow * math.exp((pace.flowAt - now) / 600000) + calls / 0.6
  pace.flowAt = now
  pace.accepted = pace.accepted + calls
  if now - pace.markAt > math.max(250000, 8000000 / pace.rate) then
    mark(pace, now, now - pace.levelAt < 300000 and pace.level or -1)
  end
  if calls > 0 then pace.trial = 0 end
  -- Only where the pace is what holds the line back: else nothing was learned of the limit.
  local idle = now - pace.heldAt
  if idle > math.max(500000, 3000000 / pace.rate) then pace.marks = '' end
  if idle > math.max(150000, 3000000 / pace.rate) then return end
  local foreseen = brink(pace) ~= nil
  local dear = pace.cost > DEAR and not foreseen
  -- So many seconds to double the rate, yet no more than this share by one call: few calls say little of a slow service.
  local doubleS, most = 0.2, 0.2
  if pace.phase == 'search' then doubleS, most = dear and math.max(4, 20 / pace.rate) or 3, 0.1 end
  if pace.phase == 'hold' then
    -- A look upward that is answered by a long wait may cost 3 % of the time and no more. Meanwhile the limit of such a
    -- service is felt for at a creep, since a rate that is too low costs as much as a wait; and so is one that is foreseen,
    -- since that costs nothing.
    local patience = math.max(pace.sure == 1 and 6000000 or 2000000, 20000000 / pace.rate)
    if dear then patience = math.max(patience, math.min(30 * pace.cost, 30000000)) end
    local looks = now - pace.since >= patience
    if not looks and not foreseen and not dear then return end
    doubleS, most = looks and 5 or (dear and pace.sure == 1 and 400 or 100), 0.03
    if not looks and dear then pace.peak = math.max(pace.peak, pace.rate) end
  end
  pace.rate = math.min(pace.rate + calls * math.min(0.693 / doubleS, most * pace.rate), 100000)
  -- Where the limit was, there is none: it has moved, or was another's traffic.
  if pace.phase ~= 'start' and pace.rate > 1.35 * pace.peak then start(pace) end
end
