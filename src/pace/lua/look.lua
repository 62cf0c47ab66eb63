-- Reads the pace, and changes nothing.
-- KEYS[1] the pace, see pace-state.lua
-- Answers nothing before the first call, else, name after name: phase, ratePerS, flowPerS, limits (1 or 0), waitUs (until calls may leave),
-- why, because, accepted (calls in all), statedPerS (calls a second that the service states, or 0), tellsWindows (1 if it ever stated a
-- window), and of a window that will be used up before its end: windowUs (until then; 0 for none), windowLeft, windowCalls (of the whole
-- window), windowLengthUs
-- @include pace-state
if redis.call('HEXISTS', KEYS[1], 'rate') == 0 then return {} end
local pace = readState(0)
local windowUs = pace.stated == 0 and pace.level > 0 and math.max(pace.spareUntil - now, 0) or 0
return { 'phase', pace.phase, 'ratePerS', string.format('%.17g', pace.rate), 'flowPerS',
  string.format('%.17g', flowNow(pace)), 'limits', isLimiting(pace, 1000000 / pace.rate) and 1 or 0,
  'waitUs', math.ceil(pace['until'] - now), 'why', pace.why,
  'because', pace.because, 'accepted', string.format('%.0f', pace.accepted),
  'statedPerS', string.format('%.17g', pace.stated), 'windowUs', math.ceil(windowUs), 'windowLeft', pace.level,
  'windowCalls', pace.level + pace.accepted - pace.windowAccepted,
  'windowLengthUs', math.ceil(pace.spareUntil - pace.windowFrom), 'tellsWindows', pace.windowFrom > 0 and 1 or 0 }
