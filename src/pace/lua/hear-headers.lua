-- What take.lua does besides handing out turns; needs lower-rate.lua.

-- What was learned is forgotten slowly: after ten quiet minutes the rate may double again, and it halves in each quiet hour.
local function forget(pace, first)
  local quiet = now - pace.askedAt
  if quiet < 600000000 then return end
  local fade = 2 ^ (-quiet / 3600000000)
  pace.rate = pace.rate > first and math.max(first, pace.rate * fade) or math.min(first, pace.rate / fade)
  pace.stated, pace.askedAt = 0, now
  start(pace)
end

-- The service's own words, before any guess: a rate that it states is taken as it is; an allowance that runs low cuts the
-- rate before a refusal does; the rest of a long window is spread over it.
local function hear(pace, limit, remaining, reset, stated)
  if stated > 0 and math.abs(stated - pace.stated) > 0.01 * stated then
    pace.stated, pace.rate, pace.peak = stated, 0.99 * stated, stated
    pace.phase, pace.since, pace.sinceAccepted, pace.marks = 'hold', now, pace.accepted, ''
  end
  -- An allowance that is never said to be renewed foretells nothing of the rate.
  if remaining < 0 or reset <= 0 then return end
  if reset > 2000000 then
    if remaining == 0 and pace['until'] < now + reset then
      pace['until'], pace.why = now + reset, 'the service says that its allowance is used up'
    elseif remaining > 0 and (limit < 0 or remaining < 0.2 * limit) then
      pace.spare, pace.spareUntil = remaining * 1000000 / reset, now + reset
    end
    return
  end
  -- What comes back all at once is a window that begins anew, and what is left of one says nothing of the rate. Answers
  -- may be told of 100 ms later than they came.
  if remaining > pace.level + 2 + 2 * pace.rate * (now - pace.levelAt + 100000) / 1000000 then pace.windowAt = now end
  pace.level, pace.levelAt, pace.full = remaining, now, math.max(pace.full, remaining)
  local least = brink(pace)
  if not least or remaining > least then pace.low = remaining end
  -- After a cut little remains for a while, and that is right; less and less is not. Nor is it for a rate that was stated.
  if not least or remaining > math.min(least, pace.low - 1) or pace.stated > 0 then return end
  local taken = pace.accepted - pace.sinceAccepted
  if taken >= math.max(pace.phase == 'start' and 10 or 20, 0.1 * pace.rate) then
    cut(pace, remaining, 0)
    pace.low = remaining
    pace.episode = pace.episode + 1
  elseif pace.phase == 'hold' then
    -- Too few for a measure: back to just under the old limit.
    pace.rate, pace.since = math.min(pace.rate, 0.98 * pace.peak), now
  end
end
