-- What the service's headers say of its limit, and how it is forgotten; needs lower-rate.lua.

-- What was learned is forgotten slowly: after some quiet minutes the rate may double again.
local function fade(pace, firstRate)
  local quiet = now - math.max(pace.tat, pace['until'])
  if quiet < N.QUIET_AFTER then return end
  local left = 2 ^ (-quiet / N.QUIET_HALVES)
  pace.rate = pace.rate > firstRate and math.max(firstRate, pace.rate * left) or math.min(firstRate, pace.rate / left)
  pace.stated, pace.tat = 0, now
  startDoubling(pace)
end

-- So many calls in such a window, with room for those that arrive late, in the next one.
local function ratePerS(limit, windowS) return limit / (windowS + N.WINDOW_ROOM_S) end

-- A rate by the service's own words is taken as it is, and stays the most there is; refusals may have shown that it is less,
-- where others use some of it.
local function takeStated(pace, perS)
  if math.abs(perS - pace.stated) <= N.STATED_DIFFERS * perS then return end
  local wasLess = pace.rate < N.UNDER * pace.stated
  pace.stated = perS
  if wasLess then return end
  pace.rate, pace.peak = perS, perS
  pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'hold', now, pace.accepted, ''
end

-- How long a window is tells the rate where no policy does: seconds since it began, and those that it said to last then. Ends
-- are written in seconds, rounded up, and so are windows; each begins with its first call, a little late. Where more
-- were accepted than it counted, several count side by side.
local function measureWindow(pace, limit, spanS, resetS, used)
  local windowS = math.floor(math.min(spanS, resetS) + N.WINDOW_EARLY_S)
  local longest = math.max(spanS, resetS)
  if windowS < 1 or windowS > N.RATE_WINDOW_S or longest > windowS + N.WINDOW_LATE_S then return end
  pace.windowAt = now
  local sides = (pace.accepted - pace.windowAccepted) / math.max(used, 1)
  local perS = (sides > N.SIDES_FROM and sides or 1) * ratePerS(limit, windowS)
  -- A wait makes a window look longer than it is.
  takeStated(pace, pace.stated > perS and math.max(perS, N.STATED_LOWER * pace.stated) or perS)
end

local function beginWindow(pace, at)
  pace.windowFrom, pace.windowAccepted = at, pace.accepted
end

-- Nothing is left: nothing leaves before more is.
local function hearUsedUp(pace, limit, reset)
  local spanS = (now + reset - pace.windowFrom) / 1000000
  if limit > 0 and pace.stated == 0 and pace.windowFrom > 0 then measureWindow(pace, limit, spanS, spanS, limit) end
  if pace['until'] >= now + reset then return end
  pace['until'], pace.why, pace.because = now + reset, 'the service says that its allowance is used up', 'asked'
end

-- The same of a refusal, where that alone speaks of a window: it is one if it took as many of our calls as it is said to.
local function hearRefusal(pace, limit, wait)
  local taken = pace.accepted - pace.windowAccepted
  if math.abs(taken - limit) < N.UNTOLD * limit then hearUsedUp(pace, limit, wait) end
  beginWindow(pace, now + wait)
end

-- What is left of a window is spread over the rest of it where that is not as much as the rate would take, or is more. Where
-- the rate is not known it is used up, with a brake at the end for calls on their way.
local function hearLeft(pace, limit, remaining, reset)
  local perS = remaining * 1000000 / reset
  local short = remaining < pace.rate * (reset - N.RESET_LATE) / 1000000
  if remaining == 0 and short then return hearUsedUp(pace, limit, reset) end
  pace.spareUntil = 0
  if pace.stated > 0 and (short or perS > N.BEHIND_WINDOW * pace.stated) then
    pace.spare, pace.spareUntil = math.min(perS, N.CATCH_UP * pace.stated), now + reset
  elseif short then
    pace.spare, pace.spareUntil = remaining * 1000000 / math.min(reset, N.BRAKE), now + reset
  end
end

-- A rate that was only measured is believed while windows are used up by it: else it was a bucket's, or the service takes more by now.
-- Where refusals alone speak of windows, none comes while it is too low. What nobody had to wait for tells nothing of it,
-- nor what waits for a rate that refusals made less.
local function doubtMeasured(pace, isTold)
  local isLess = pace['until'] > now or pace.rate < N.UNDER * pace.stated
  if isLess or not isLimiting(pace, 1000000 / pace.rate) then pace.windowAt = now end
  local isUnused = isTold and now - pace.windowAt > N.MEASURED_FOR
  local isUnheard = now - math.max(pace.levelAt, pace.windowFrom, pace.windowAt) > N.REFUSED_FOR
  if isUnused or isUnheard then pace.stated = 0 end
end

-- The service's own words, before any guess: a rate that it states is taken as it is; what is left of a window is not exceeded;
-- an allowance that runs low lowers the rate before a refusal does.
local function hearHeaders(pace, limit, remaining, reset, windowS)
  local isTold = remaining >= 0 and reset > 0
  if windowS > 0 then
    takeStated(pace, ratePerS(limit, windowS))
    pace.windowAt = now
  elseif pace.stated > 0 then
    doubtMeasured(pace, isTold)
  end
  -- An allowance that is never said to be renewed foretells nothing of the rate.
  if not isTold then return end
  if pace.windowFrom == 0 then beginWindow(pace, now) end
  -- What comes back all at once is a window that begins anew, and what is left of one says nothing of the rate.
  local filled = reset > N.LONG_RESET and limit > 0 and limit / 2
    or N.WINDOW_CALLS + N.WINDOW_RATES * pace.rate * (now - pace.levelAt + N.TOLD_LATE) / 1000000
  if remaining > pace.level + filled and pace.full > 0 then
    if windowS <= 0 and limit > 0 and remaining > limit / 2 then
      measureWindow(pace, limit, (now - pace.windowFrom) / 1000000, reset / 1000000, limit - pace.level)
    end
    pace.windowAt = now
    beginWindow(pace, now)
  end
  pace.level, pace.levelAt, pace.full = remaining, now, math.max(pace.full, remaining)
  if pace.stated > 0 or reset > N.LONG_RESET then
    if pace.stated == 0 or remaining <= pace.full / 2 then pace.windowAt = now end
    return hearLeft(pace, limit, remaining, reset)
  end
  local least = brink(pace)
  if not least or remaining > least then pace.low = remaining end
  -- After the rate was lowered little remains for a while, and that is right; less and less is not.
  if not least or remaining > math.min(least, pace.low - 1) then return end
  local taken = pace.accepted - pace.sinceAccepted
  if taken >= math.max(pace.phase == 'start' and N.START_BRINK_CALLS or N.BRINK_CALLS, N.BRINK_CALLS_S * pace.rate) then
    lower(pace, remaining, 0)
    pace.low = remaining
    pace.episode = pace.episode + 1
  elseif pace.phase == 'hold' then
    -- Too few for a measure: back to just under the old limit.
    pace.rate, pace.since = math.min(pace.rate, N.UNDER * pace.peak), now
  end
end
