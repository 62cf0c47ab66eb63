-- What take.lua does besides handing out turns; needs cut.lua.

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
    pace.phase, pace.since = 'hold', now
  end
  if remaining < 0 then return end
  pace.level, pace.levelAt = remaining, now
  if reset > 2000000 then
    if remaining == 0 and pace['until'] < now + reset then
      pace['until'], pace.why = now + reset, 'the service says that its allowance is used up'
    elseif remaining > 0 and (limit < 0 or remaining < 0.2 * limit) then
      pace.spare, pace.spareUntil = remaining * 1000000 / reset, now + reset
    end
    return
  end
  -- Calls that are on their way take from it still: those of the last 50 ms.
  local brink = math.max(1, 0.05 * pace.rate)
  if remaining >= 1.5 * brink then pace.armed = 1 end
  -- At the limit little remains, and that is right; only a rate that climbs is stopped by it, and none that was stated.
  local climbs = pace.stated == 0 and (pace.phase ~= 'hold' or pace.rate > pace.peak)
  if remaining > brink or pace.armed == 0 or not climbs then return end
  pace.armed = 0
  local taken = pace.accepted - pace.anchorAccepted
  if taken >= (pace.phase == 'start' and 10 or 20) or pace.phase == 'search' then
    cut(pace, remaining, 0)
    pace.episode = pace.episode + 1
  elseif pace.phase == 'hold' then
    -- A call more or less says nothing of so few.
    pace.rate, pace.since = 0.98 * pace.peak, now
  end
end
