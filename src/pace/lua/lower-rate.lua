-- Lowers the pace's rate when the service's limit is reached, or nearly so. Needs raise-rate.lua.

-- Measures the rate that the service allows, from each mark (an earlier moment) on: the calls accepted since, minus those that the
-- service's allowance for bursts at that moment let through. If the allowance was full meanwhile, the measure is too low, never too high,
-- so the greatest one is the truest. Returns it (0 with too few calls), then the seconds and calls since the first mark; -1 calls if they
-- show nothing.
local function measure(pace, level)
  local best, firstS, firstTaken
  for at, accepted, left in string.gmatch(pace.marks, '(%S+) (%S+) (%S+);') do
    local spanS, taken = (now - at) / 1000000, pace.accepted - accepted
    left = tonumber(left)
    if left == 0 or (left > 0 and now - pace.windowAt > N.WINDOWS_FOR) then
      taken = taken - left + level
    elseif pace.cost > N.DEAR and level == 0 then
      -- At this mark the service's allowance for bursts was full, after a long wait, and now it is empty. The calls that it let through
      -- count as those of BURST_S more seconds.
      spanS = spanS + N.BURST_S
    else
      taken = -1
    end
    local leastS, least = left >= 0 and N.MEASURE_S or N.GUESSED_MEASURE_S, N.MEASURE_CALLS
    if not best then best, firstS, firstTaken, leastS, least = 0, spanS, taken, N.FIRST_MEASURE_S, N.FIRST_MEASURE_CALLS end
    if spanS >= leastS and taken >= least then best = math.max(best, taken / spanS) end
  end
  return best or 0, firstS or 0, firstTaken or -1
end

-- Lowers the rate to just under the measured one, in calls a second.
local function lowerTo(pace, measured, level)
  local peak = measured
  if pace.phase == 'hold' and pace.rate > N.ABOVE_PEAK * pace.peak then peak = math.max(peak, pace.peak) end
  -- After a stall of this process calls come in a crowd, and part of the service's allowance stayed unused, so the measure is too low. So
  -- one measure lowers the rate only a little; if the limit fell, it is reached again at once.
  local least = (level > 0 and pace.phase == 'start' and N.START_LOWEST or N.LOWEST) * pace.rate
  if pace.phase == 'hold' then
    least = math.max(N.HOLD_LOWEST_OF_PEAK * math.min(pace.rate, pace.peak), N.HOLD_LOWEST * pace.rate)
  end
  pace.sure = pace.phase == 'hold' and math.abs(peak - pace.measured) < N.AGREE * peak and 1 or 0
  pace.measured = peak
  pace.rate = math.max(math.min(N.UNDER * peak, N.UNDER * pace.rate), least)
  pace.peak, pace.phase = math.max(peak, pace.rate), 'hold'
end

-- Lowers the rate where there were too few calls to measure it: `taken` calls (-1 if unknown) were accepted in `spanS` seconds.
local function lowerByGuess(pace, spanS, taken, dear)
  local tells = spanS > 0 and taken >= 0
  local rate = (dear and pace.phase == 'search' and N.DEAR_GUESS or N.GUESS) * pace.rate
  -- The calls of a short time may all be of one window, and a service that refuses everything says nothing about its rate. So only a few
  -- calls in a longer time show a slow service.
  local fewS = spanS + (pace.cost > N.DEAR and pace.cost / 1000000 or 0)
  if tells and taken >= 1 and taken < N.FEW_CALLS and fewS > N.FEW_S then
    rate = math.max(math.min(rate, N.FEW_ROOM * (taken + 1) / fewS), N.FEW_LOWEST * pace.rate)
  end
  if tells and taken >= N.FEW_CALLS then
    rate = math.max(math.min(N.MEAN_MOST * pace.rate, taken / spanS), N.MEAN_LOWEST * pace.rate)
  end
  if pace.phase == 'start' then
    -- At the first refusal, the recent mean of accepted calls, or the mean since the start, is near the service's limit.
    local ranS = math.max((now - pace.since) / 1000000, N.START_RAN_S) + (dear and N.BURST_S / 2 or 0)
    local mean = (pace.accepted - pace.sinceAccepted) / ranS
    local near = math.min(N.START_LOWER * pace.rate, N.UNDER * math.max(pace.flow, mean))
    rate = math.max(near, N.START_LOWEST_GUESS * pace.rate)
  end
  pace.peak, pace.rate, pace.phase = pace.rate, rate, 'search'
end

-- Lowers the rate when the limit was reached, or will be with the next `level` calls. Between two such moments the allowance went from
-- empty to empty, so the calls accepted in between are the rate, whatever burst the service allows.
local function lower(pace, level, wait)
  local dear = wait > N.DEAR
  local measured, spanS, taken = measure(pace, level)
  if measured > 0 then lowerTo(pace, measured, level) else lowerByGuess(pace, spanS, taken, dear) end
  pace.rate = math.max(pace.rate, N.SLOWEST)
  pace.since, pace.sinceAccepted, pace.cost = now + (dear and wait or 0), pace.accepted, wait
  -- The limit was not foreseen, so the largest number of calls left (`full`), by which it is foreseen, is learned anew.
  if level == 0 then pace.full = 0 end
  -- If no rate could be measured yet, the marks stay, so that the next measure spans a longer time: the allowance was empty at the first
  -- mark, and is now. Only a long wait fills it.
  if measured == 0 and spanS > 0 and taken >= 0 and not dear then return end
  pace.marks = ''
  addMark(pace, pace.since, dear and -1 or level)
end
