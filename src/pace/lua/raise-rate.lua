-- Raises the rate while the service accepts calls. Needs pace-state.lua.

-- The brink: the number of calls left, by the service's headers, at which the rate is lowered before a refusal comes. Nil if the headers
-- state no number, or never one high enough to give a warning.
local function brink(pace)
  local share = pace.phase == 'start' and N.START_BRINK or N.BRINK
  local calls = math.max(1, N.BRINK_S * pace.rate, share * pace.full)
  local isTold = now - pace.levelAt < N.LEVEL_FRESH and now - pace.windowAt > N.WINDOWS_FOR
  return isTold and pace.full >= N.BRINK_WITHIN * calls and calls or nil
end

-- Adds a mark: the calls accepted so far and the stated remainder, or -1. Of all marks, the first one and the latest ones are kept. If the
-- rate was lowered, the first one is of the moment when the limit was reached.
local function addMark(pace, at, level)
  pace.marks = pace.marks .. string.format('%.17g %.17g %.17g;', at, pace.accepted, level)
  local _, count = string.gsub(pace.marks, ';', '')
  if count > N.MARKS then pace.marks = string.gsub(pace.marks, ';[^;]*;', ';', 1) end
end

local function latestMarkAt(pace) return tonumber(string.match(';' .. pace.marks, '^.*;([^; ]+) ')) or 0 end

-- Seconds in which the rate doubles now, and the largest share by which one call raises it; nil if the rate stays.
local function growth(pace)
  local foreseen = brink(pace) ~= nil
  local dear = pace.cost > N.DEAR and not foreseen
  if pace.phase == 'start' then return N.START_DOUBLES_S, N.START_MOST end
  if pace.phase == 'search' then
    if not dear then return N.SEARCH_DOUBLES_S, N.SEARCH_MOST end
    return math.max(N.SEARCH_DEAR_DOUBLES_S, N.SEARCH_DEAR_CALLS / pace.rate), N.SEARCH_MOST
  end
  -- Between tests of higher rates the rate rises slowly if tests are dear, since too low a rate costs as much as a long wait. It also does
  -- if the limit is foreseen, since the rise then costs nothing.
  local patience = math.max(pace.sure == 1 and N.SURE_PATIENCE or N.PATIENCE, N.PATIENCE_CALLS / pace.rate)
  if dear then patience = math.max(patience, math.min(N.DEAR_PATIENCE_WAITS * pace.cost, N.DEAR_PATIENCE_MOST)) end
  if now - pace.since >= patience then return N.LOOK_DOUBLES_S, N.HOLD_MOST end
  -- The rate does not rise between tests if the service states it, or if the limit is neither foreseen nor dear to test.
  if pace.stated > 0 or not foreseen and not dear then return end
  if dear then pace.peak = math.max(pace.peak, pace.rate) end
  return dear and pace.sure == 1 and N.SURE_CREEP_DOUBLES_S or N.CREEP_DOUBLES_S, N.HOLD_MOST
end

-- Counts accepted calls, and raises the rate for each. If the rate rose with time instead, it would overrun a slow service.
local function countAccepted(pace, calls)
  pace.flow = flowNow(pace) + calls / (N.FLOW_FADE / 1000000)
  pace.accepted = pace.accepted + calls
  if now - latestMarkAt(pace) > math.max(N.MARK_EVERY, N.MARK_CALLS / pace.rate) then
    addMark(pace, now, now - pace.levelAt < N.LEVEL_AT_MARK and pace.level or -1)
  end
  if calls > 0 then pace.trial, pace.strikes = 0, 0 end
  -- The rate rises only if the pace limits the calls: otherwise nothing was learned about the limit.
  local idle = now - pace.heldAt
  if idle > math.max(N.BREAKS_AFTER, N.IDLE_CALLS / pace.rate) then pace.marks = '' end
  if idle > math.max(N.TELLS_WITHIN, N.IDLE_CALLS / pace.rate) then return end
  local doubleS, most = growth(pace)
  if not doubleS then return end
  pace.rate = math.min(pace.rate + calls * math.min(N.LN_2 / doubleS, most * pace.rate), N.FASTEST)
  if pace.phase ~= 'start' and pace.rate > N.BEYOND_PEAK * pace.peak then startDoubling(pace) end
end
