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

-- A long window: nothing leaves before it ends where nothing is left, and else what little is left is spread over it.
local function hearLongWindow(pace, limit, remaining, reset)
  if remaining == 0 and pace['until'] < now + reset then
    pace['until'], pace.why = now + reset, 'the service says that its allowance is used up'
  elseif remaining > 0 and (limit < 0 or remaining < N.SPREAD_BELOW * limit) then
    pace.spare, pace.spareUntil = remaining * 1000000 / reset, now + reset
  end
end

-- The service's own words, before any guess: a rate that it states is taken as it is; an allowance that runs low lowers the
-- rate before a refusal does; the rest of a long window is spread over it.
local function hearHeaders(pace, limit, remaining, reset, stated)
  if stated > 0 and math.abs(stated - pace.stated) > N.STATED_DIFFERS * stated then
    pace.stated, pace.rate, pace.peak = stated, N.STATED_SHARE * stated, stated
    pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'hold', now, pace.accepted, ''
  end
  -- An allowance that is never said to be renewed foretells nothing of the rate.
  if remaining < 0 or reset <= 0 then return end
  if reset > N.LONG_RESET then return hearLongWindow(pace, limit, remaining, reset) end
  -- What comes back all at once is a window that begins anew, and what is left of one says nothing of the rate.
  local filled = N.WINDOW_CALLS + N.WINDOW_RATES * pace.rate * (now - pace.levelAt + N.TOLD_LATE) / 1000000
  if remaining > pace.level + filled then pace.windowAt = now end
  pace.level, pace.levelAt, pace.full = remaining, now, math.max(pace.full, remaining)
  local least = brink(pace)
  if not least or remaining > least then pace.low = remaining end
  -- After the rate was lowered little remains for a while, and that is right; less and less is not. Nor is it for a rate that
  -- was stated.
  if not least or remaining > math.min(least, pace.low - 1) or pace.stated > 0 then return end
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
