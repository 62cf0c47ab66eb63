-- Applies the service's headers to the pace, and fades what was learned. Needs lower-rate.lua.

-- Fades the learned rate towards the initial one after some quiet minutes; then it may double again.
local function fade(pace, firstRate)
  local quiet = now - math.max(pace.tat, pace['until'])
  if quiet < N.QUIET_AFTER then return end
  local left = 2 ^ (-quiet / N.QUIET_HALVES)
  pace.rate = pace.rate > firstRate and math.max(firstRate, pace.rate * left) or math.min(firstRate, pace.rate / left)
  pace.stated, pace.tat = 0, now
  startDoubling(pace)
end

-- The rate in calls a second that uses `limit` calls in a window. It is a little lower, since a late call arrives in the next window.
local function ratePerS(limit, windowS) return limit / (windowS + N.WINDOW_ROOM_S) end

-- Takes a rate that the service states, as the maximum. A lower rate shown by refusals stays: others may use some of the limit.
local function takeStated(pace, perS)
  if math.abs(perS - pace.stated) <= N.STATED_DIFFERS * perS then return end
  local wasLess = pace.rate < N.UNDER * pace.stated
  pace.stated = perS
  if wasLess then return end
  pace.rate, pace.peak = perS, perS
  pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'hold', now, pace.accepted, ''
end

-- Derives the rate from a window's length if no policy states it: `spanS` is the length as observed, `resetS` as stated. The service rounds
-- ends up to seconds, and a window begins with its first call, a little late. If more calls were accepted than the window counted, the
-- service has several windows side by side, and the rate is that many times higher.
local function measureWindow(pace, limit, spanS, resetS, used)
  local windowS = math.floor(math.min(spanS, resetS) + N.WINDOW_EARLY_S)
  local longest = math.max(spanS, resetS)
  if windowS < 1 or windowS > N.RATE_WINDOW_S or longest > windowS + N.WINDOW_LATE_S then return end
  pace.windowAt = now
  local sides = (pace.accepted - pace.windowAccepted) / math.max(used, 1)
  local perS = (sides > N.SIDES_FROM and sides or 1) * ratePerS(limit, windowS)
  -- A wait makes a window seem longer, so a measured rate falls by at most a tenth at a time.
  takeStated(pace, pace.stated > perS and math.max(perS, N.STATED_LOWER * pace.stated) or perS)
end

local function beginWindow(pace, at)
  pace.windowFrom, pace.windowAccepted = at, pace.accepted
end

-- Handles a window whose calls are used up: no call leaves before it begins anew.
local function hearUsedUp(pace, limit, reset)
  local spanS = (now + reset - pace.windowFrom) / 1000000
  if limit > 0 and pace.stated == 0 and pace.windowFrom > 0 then measureWindow(pace, limit, spanS, spanS, limit) end
  if pace['until'] >= now + reset then return end
  pace['until'], pace.why, pace.because = now + reset, 'the service says that its allowance is used up', 'asked'
end

-- Handles a refusal by a service that states windows only in refusals. If it accepted about `limit` of our calls since the window began,
-- the window is used up. The next window begins after the wait.
local function hearRefusal(pace, limit, wait)
  local taken = pace.accepted - pace.windowAccepted
  if math.abs(taken - limit) < N.UNTOLD * limit then hearUsedUp(pace, limit, wait) end
  beginWindow(pace, now + wait)
end

-- Applies the calls left in a window. If the rate is known and would use fewer or more of them, they are spread over the rest of the
-- window. Otherwise they are used up at the present rate, more slowly at the end because of calls in flight.
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

-- Drops a measured rate once windows are no longer used up: either a token bucket was taken for a window, or the service accepts more now.
-- A service that states windows only in refusals states none while the rate is too low. Time counts only while calls wait for the pace, and
-- not while the rate is lower because of refusals.
local function doubtMeasured(pace, isTold)
  local isLess = pace['until'] > now or pace.rate < N.UNDER * pace.stated
  if isLess or not isLimiting(pace, 1000000 / pace.rate) then pace.windowAt = now end
  local isUnused = isTold and now - pace.windowAt > N.MEASURED_FOR
  local isUnheard = now - math.max(pace.levelAt, pace.windowFrom, pace.windowAt) > N.REFUSED_FOR
  if isUnused or isUnheard then pace.stated = 0 end
end

-- The service's headers override any guess: a stated rate is taken as it is, a window's remainder is not exceeded, and a low allowance
-- lowers the rate before a refusal does.
local function hearHeaders(pace, limit, remaining, reset, windowS)
  local isTold = remaining >= 0 and reset > 0
  if windowS > 0 then
    takeStated(pace, ratePerS(limit, windowS))
    pace.windowAt = now
  elseif pace.stated > 0 then
    doubtMeasured(pace, isTold)
  end
  -- Without the time at which the window begins anew, the calls left in it say nothing about the rate.
  if not isTold then return end
  if pace.windowFrom == 0 then beginWindow(pace, now) end
  -- If the calls left rise suddenly, a new window has begun, and their number says nothing about the rate.
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
  -- After the rate was lowered, the number of calls left stays low for a while, as expected. Only a further fall counts.
  if not least or remaining > math.min(least, pace.low - 1) then return end
  local taken = pace.accepted - pace.sinceAccepted
  if taken >= math.max(pace.phase == 'start' and N.START_BRINK_CALLS or N.BRINK_CALLS, N.BRINK_CALLS_S * pace.rate) then
    lower(pace, remaining, 0)
    pace.low = remaining
    pace.episode = pace.episode + 1
  elseif pace.phase == 'hold' then
    -- There were too few calls to measure the rate, so it returns to just under the old limit.
    pace.rate, pace.since = math.min(pace.rate, N.UNDER * pace.peak), now
  end
end
