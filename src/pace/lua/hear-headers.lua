-- What the service's headers say of its limit, and how it is forgotten; needs lower-rate.lua.

-- What was learned is forgotten slowly: after some quiet minutes the rate may double again.
local function fade(pace, firstRate)
  local quiet = now - pace.askedAt
  if quiet < N.QUIET_AFTER then return end
  local left = 2 ^ (-quiet / N.QUIET_HALVES)
  pace.rate = pace.rate > firstRate and math.max(firstRate, pace.rate * left) or math.min(firstRate, pace.rate / left)
  pace.stated, pace.askedAt = 0, now
  startDoubling(pace)
end

-- So many calls in such a window, with room for those that arrive late, in the next one.
local function ratePerS(limit, windowS) return limit / (windowS + N.WINDOW_ROOM_S) end

-- A rate by the service's own words is taken as it is, and stays the most there is.
local function takeStated(pace, perS)
  if math.abs(perS - pace.stated) <= N.STATED_DIFFERS * perS then return end
  pace.stated, pace.rate, pace.peak = perS, perS, perS
  pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'hold', now, pace.accepted, ''
end

-- How long a window is tells the rate where no policy does; reset is what it says of the time left, at its beginning at the
-- latest. Ends are written in seconds, rounded up, and so are windows; each begins with its first call, a little late.
local function measureWindow(pace, limit, spanUs, resetUs)
  local windowS = math.floor(math.min(spanUs, resetUs) / 1000000 + N.WINDOW_EARLY_S)
  if windowS < 1 or windowS > N.RATE_WINDOW_S or spanUs / 1000000 > windowS + N.WINDOW_LATE_S then return end
  local perS = ratePerS(limit, windowS)
  -- A wait makes a window look longer than it is.
  takeStated(pace, pace.stated > perS and math.max(perS, N.STATED_LOWER * pace.stated) or perS)
end

-- Where what is left will not do until the window's end, it is spread over the rest of it, if the rate is known, and else used
-- up, with a brake at the end for calls on their way; and where nothing is left nothing leaves.
local function hearShortage(pace, limit, remaining, reset)
  if remaining >= pace.rate * (reset - N.RESET_LATE) / 1000000 then
    pace.spareUntil = 0
  elseif remaining > 0 then
    local over = pace.stated > 0 and reset or math.min(reset, N.BRAKE)
    pace.spare, pace.spareUntil = remaining * 1000000 / over, now + reset
  elseif pace['until'] < now + reset then
    pace['until'], pace.because, pace.why = now + reset, 'asked', 'the service says that its allowance is used up'
    local span = now + reset - pace.windowFrom
    if limit > 0 and pace.stated == 0 then measureWindow(pace, limit, span, span) end
  end
end

-- The service's own words, before any guess: a rate that it states is taken as it is; what is left of a window is not exceeded;
-- an allowance that runs low lowers the rate before a refusal does.
local function hearHeaders(pace, limit, remaining, reset, windowS)
  if windowS > 0 then takeStated(pace, ratePerS(limit, windowS)) end
  -- An allowance that is never said to be renewed foretells nothing of the rate.
  if remaining < 0 or reset <= 0 then return end
  if pace.windowFrom == 0 then pace.windowFrom = now end
  -- What comes back all at once is a window that begins anew, and what is left of one says nothing of the rate.
  local filled = reset > N.LONG_RESET and limit > 0 and limit / 2
    or N.WINDOW_CALLS + N.WINDOW_RATES * pace.rate * (now - pace.levelAt + N.TOLD_LATE) / 1000000
  if remaining > pace.level + filled and pace.full > 0 then
    if windowS <= 0 and limit > 0 and remaining > limit / 2 then measureWindow(pace, limit, now - pace.windowFrom, reset) end
    pace.windowAt, pace.windowFrom = now, now
  end
  pace.level, pace.levelAt, pace.full = remaining, now, math.max(pace.full, remaining)
  if pace.stated > 0 or reset > N.LONG_RESET then
    pace.windowAt = now
    return hearShortage(pace, limit, remaining, reset)
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
