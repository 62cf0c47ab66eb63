-- Hands out permits: moments at which one call may leave, spaced evenly over all processes (GCRA). Learns
-- from what the asking process was told by the service since it asked last.
-- KEYS[1] the pace, see pace-state.lua
-- ARGV name, value, …: wanted (permits), ceiling (most calls a second, 0 for none), aheadUs (how far ahead permits are handed
--   out), probeEveryUs (between permits while probing), firstRate, accepted (calls since this process asked last), and of the
--   service's headers, -1 where they say nothing: limit, remaining, resetUs, windowS (of a policy that is a rate)
-- Answers, name after name: permits, firstUs (until the first; without permits, until it is worth asking again), betweenUs,
--   episode, probing (1 while one call tries at a time), why (nothing leaves, or ""), phase, ratePerS, flowPerS,
--   limits (1 where the pace is what limits us), crowds (1 where permits that are used late would meet a limit together)
-- Sent twice it hands out permits that nobody takes: calls are a little slower, never faster.
-- @include arguments
-- @include pace-state
-- @include raise-rate
-- @include lower-rate
-- @include hear-headers
local wanted, ceiling, ahead = number('wanted'), number('ceiling'), number('aheadUs')
local pace = readState(number('firstRate'))
fade(pace, number('firstRate'))
countAccepted(pace, number('accepted'))
hearHeaders(pace, number('limit'), number('remaining'), number('resetUs'), number('windowS'))

if pace.stated > 0 then pace.rate = math.min(pace.rate, pace.stated) end
-- A ceiling that is lifted one day leaves no rate behind that the service was never seen to take.
if ceiling > 0 then pace.rate = math.min(pace.rate, ceiling) end
local rate = pace.rate
-- Only where a window's rate is known may what is left of it go faster.
if pace.spareUntil > now then rate = pace.stated > 0 and pace.spare or math.min(rate, pace.spare) end
if ceiling > 0 then rate = math.min(rate, ceiling) end
local interval = 1000000 / rate
-- A ceiling is never made up for, and after a block one call leaves first.
local behind = ceiling > 0 and 0 or math.max(N.BEHIND_LEAST, math.min(N.BEHIND_PERMITS * interval, N.BEHIND_MOST))
local tat = math.max(pace.tat, now - behind, pace['until'])
if now - pace.heldAt > N.NOT_BEHIND_AFTER then tat = math.max(tat, now) end
local permits, first, why = 0, 0, ''
if pace['until'] > now then
  first, why = pace['until'] - now, pace.why
elseif pace.trial == 1 and pace.tryAt > now then
  first, why = pace.tryAt - now, pace.why
elseif wanted > 0 then
  permits = math.min(wanted, math.floor((now + ahead - tat) / interval) + 1)
  if pace.trial == 1 then permits = math.min(permits, 1) end
  if permits < wanted or tat > now then pace.heldAt = now end
  first = permits > 0 and tat - now or tat - now - ahead
end
if permits > 0 then
  pace.tat = tat + permits * interval
  pace.tryAt = now + number('probeEveryUs')
end
permits = math.max(permits, 0)
writeState(pace)
local limits = isLimiting(pace, interval) and 1 or 0
-- What is late in a window of the service's has its place in it still.
local crowds = limits == 1 and pace.peak > 0 and pace.stated == 0 and 1 or 0
return { 'permits', permits, 'firstUs', math.ceil(math.max(first, 0)), 'betweenUs', math.ceil(interval), 'episode', pace.episode,
  'probing', pace.trial, 'why', why, 'because', pace.because, 'phase', pace.phase, 'ratePerS', string.format('%.3f', rate),
  'flowPerS', string.format('%.3f', pace.flow), 'limits', limits, 'crowds', crowds }
