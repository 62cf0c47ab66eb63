-- How the rate is cut where the limit is; needs raise-rate.lua.

-- Calls a second that the service lets through at least: those since a mark, less what they took from the allowance that
-- was left then. Less than it allows where the allowance was full meanwhile and let some go to waste, never more; so the
-- greatest of these measures is the truest, whatever was sent. Answers it, or 0 where there is too little for one, with
-- the seconds and the calls since the first mark: -1 calls where that tells nothing.
local function measure(pace, level)
  local best, firstS, firstTaken
  for at, accepted, left in string.gmatch(pace.marks, '(%S+) (%S+) (%S+);') do
    local spanS, taken = (now - at) / 1000000, pace.accepted - accepted
    left = tonumber(left)
    if left == 0 or (left > 0 and now - pace.windowAt > WINDOW) then
      taken = taken - left + level
    elseif pace.cost > DEAR and level == 0 then
      -- The allowance was full when the wait was over.
      spanS = spanS + BURST_S
    else
      taken = -1
    end
    -- A call more or less must not matter much; what is left is known to the call, a burst is only guessed.
    local leastS, least = left >= 0 and 0.2 or 1, 20
    if not best then best, firstS, firstTaken, leastS, least = 0, spanS, taken, 0.5, 5 end
    if spanS >= leastS and taken >= least then best = math.max(best, taken / spanS) end
  end
  return best or 0, firstS or 0, firstTaken or -1
end

-- The limit was met, or will be with the next `level` calls. Between two such moments the service's allowance went from
-- nothing to nothing, so what it accepted meanwhile is what it lets through, whatever burst it allows.
local function cut(pace, level, wait)
  local dear = wait > DEAR
  local peak, spanS, taken = measure(pace, level)
  local goesOn = spanS > 0 and taken >= 0
  if peak > 0 then
    -- It climbed well beyond the old limit before it was refused, so that limit has not fallen.
    if pace.phase == 'hold' and pace.rate > 1.08 * pace.peak then peak = math.max(peak, pace.peak) end
    -- A process that stood still lets calls crowd, and the service's allowance overflows meanwhile: what was measured
    -- is too little then. So one measure takes the rate down a little; a limit that fell is met again at once.
    local least = (level > 0 and pace.phase == 'start' and 0.3 or 0.7) * pace.rate
    if pace.phase == 'hold' then least = math.max(0.92 * math.min(pace.rate, pace.peak), 0.75 * pace.rate) end
    pace.sure = pace.phase == 'hold' and math.abs(peak - pace.measured) < 0.05 * peak and 1 or 0
    pace.measured = peak
    pace.rate = math.max(math.min(0.98 * peak, 0.98 * pace.rate), least)
    pace.peak, pace.phase = math.max(peak, pace.rate), 'hold'
    goesOn = false
  else
    -- Too little for a measure; some calls are enough for a guess. A guess that was wrong and cost a long wait is not
    -- mended by small steps, each of which costs another.
    local rate = (dear and pace.phase == 'search' and 0.65 or 0.85) * pace.rate
    -- A slow service shows itself by how long few calls took; within a second it may be a window that is full, and one
    -- that refuses everything says nothing of its rate.
    local fewS = spanS + (pace.cost > DEAR and pace.cost / 1000000 or 0)
    if goesOn and taken >= 1 and taken < 5 and fewS > 1.5 then
      rate = math.max(math.min(rate, 1.5 * (taken + 1) / fewS), 0.25 * pace.rate)
    end
    if goesOn and taken >= 5 then rate = math.max(math.min(0.9 * pace.rate, taken / spanS), 0.5 * pace.rate) end
    if pace.phase == 'start' then
      -- A doubling overshoots by what the burst hides; what was accepted of late, and since it began, is near the truth.
      local ranS = math.max((now - pace.since) / 1000000, 0.2) + (dear and BURST_S / 2 or 0)
      local mean = (pace.accepted - pace.sinceAccepted) / ranS
      rate = math.max(math.min(0.75 * pace.rate, 0.98 * math.max(pace.flow, mean)), 0.25 * pace.rate)
    end
    pace.peak, pace.rate, pace.phase = pace.rate, rate, 'search'
  end
  pace.rate = math.max(pace.rate, 1 / 60) -- a call a minute: slower than that, nothing could be learned any more
  pace.since, pace.sinceAccepted, pace.cost = now + (dear and wait or 0), pace.accepted, wait
  -- Foresight has failed: how much the service leaves at most is learned anew.
  if level == 0 then pace.full = 0 end
  -- A measure that is too short goes on: the allowance was used up then as it is now, and only a long wait fills it.
  if goesOn and not dear then return end
  pace.marks = ''
  mark(pace, pace.since, dear and -1 or level)
end
