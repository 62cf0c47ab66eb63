-- How the rate is cut where the limit is; needs learn.lua.

-- Calls a second that were let through in the last seconds. A line that was long below the limit left the service's
-- allowance full meanwhile, and the time since the limit was met last says too little. Where the service says what is
-- left, that is exact; else only where the burst is counted out.
local function lately(pace, level)
  local at, accepted, known = pace.oldMarkAt, pace.oldMarkAccepted, pace.oldMarkLevel
  if at < pace.since then at, accepted, known = pace.markAt, pace.markAccepted, pace.markLevel end
  local spanS, taken = (now - at) / 1000000, pace.accepted - accepted
  if known >= 0 then
    taken = taken - known + level
  elseif pace.cost > DEAR then
    spanS = spanS + BURST_S
  else
    return 0
  end
  return at >= pace.since and spanS >= 1 and taken >= 5 and taken / spanS or 0
end

-- The limit was met, or will be with the next `level` calls. Between two such moments the service's allowance went from
-- nothing to nothing, so what it accepted meanwhile is what it lets through, whatever burst it allows.
local function cut(pace, level, wait)
  local spanS = (now - pace.anchorAt) / 1000000
  local taken = pace.accepted - pace.anchorAccepted - pace.anchorLevel + level
  if pace.cost > DEAR then spanS = spanS + BURST_S end
  local known, dear = pace.anchorAt > 0, wait > DEAR
  if known and spanS >= 0.5 and taken >= 5 then
    local peak = math.max(taken / spanS, lately(pace, level))
    -- It climbed well beyond the old limit before it was refused, so that limit has not fallen.
    if pace.phase == 'hold' and pace.rate > 1.08 * pace.peak then peak = math.max(peak, pace.peak) end
    -- A process that stood still lets calls crowd, and the service's allowance overflows meanwhile: what was measured
    -- is too little then. So one measure takes the rate down a little; a limit that fell is met again at once.
    local least = 0.7 * pace.rate
    if pace.phase == 'hold' then least = math.max(0.92 * math.min(pace.rate, pace.peak), 0.75 * pace.rate) end
    pace.sure = pace.phase == 'hold' and math.abs(peak - pace.peak) < 0.05 * peak and 1 or 0
    pace.rate = math.max(math.min(0.98 * peak, 0.98 * pace.rate), least)
    pace.peak, pace.phase = math.max(peak, pace.rate), 'hold'
    known = false
  else
    -- Too little for a measure; some calls are enough for a guess.
    local rate = 0.85 * pace.rate
    -- A slow service shows itself by how long few calls took; within a second it may be a window that is full, and one
    -- that refuses everything says nothing of its rate.
    local fewS = spanS + (pace.cost > DEAR and pace.cost / 1000000 or 0)
    if known and taken >= 1 and taken < 5 and fewS > 1.5 then
      rate = math.max(math.min(rate, 1.5 * (taken + 1) / fewS), 0.25 * pace.rate)
    end
    if known and taken >= 5 then rate = math.max(math.min(0.9 * pace.rate, taken / spanS), 0.5 * pace.rate) end
    if pace.phase == 'start' then
      -- A doubling overshoots by what the burst hides; what was accepted of late, and since it began, is near the truth.
      local ranS = math.max((now - pace.since) / 1000000, 0.2) + (dear and BURST_S / 2 or 0)
      local mean = (pace.accepted - pace.anchorAccepted) / ranS
      rate = math.max(math.min(0.75 * pace.rate, 0.98 * math.max(pace.flow, mean)), 0.25 * pace.rate)
    end
    pace.peak, pace.rate, pace.phase = pace.rate, rate, 'search'
  end
  pace.rate = math.max(pace.rate, 1 / 60) -- a call a minute: slower than that, nothing could be learned any more
  pace.since, pace.cost, pace.armed = now + (dear and wait or 0), wait, 0
  pace.markAt, pace.markAccepted, pace.markLevel = pace.since, pace.accepted, -1
  -- A measure that is too short goes on: the allowance was used up then as it is now, and only a long wait fills it.
  if known and not dear then return end
  pace.anchorAt = dear and now + wait or now
  pace.anchorAccepted, pace.anchorLevel = pace.accepted, level
end
