-- Hands out permits: moments at which one call may leave, spaced evenly over all processes (GCRA). Learns from the responses that the
-- calling process got since its last request.
-- KEYS[1] the pace, see pace-state.lua
-- ARGV name, value, …:
--   wanted, aheadUs   permits to hand out, and how far ahead
--   ceiling           most calls a second, or 0
--   probeEveryUs      µs between permits while one call at a time tries the service
--   firstRate         the initial rate; accepted: calls since this process's last request
--   limit, remaining, resetUs, windowS   by the service's headers, or -1; windowS: of a policy that is a rate
-- Answers, name after name: permits, firstUs (until the first permit or, without one, until the next request is useful), betweenUs,
-- episode, probing (1 while one call at a time tries the service), why (calls wait, or ""), because, phase, ratePerS, flowPerS, limits (1
-- if the pace limits the calls), crowds (1 if late permits would reach a limit together).
-- If repeated, the first permits stay unused: calls are a little slower, never faster.
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
-- The stored rate keeps the ceiling too: once that is lifted, no rate remains that the service was never seen to accept.
if ceiling > 0 then pace.rate = math.min(pace.rate, ceiling) end
local rate = pace.rate
-- The calls left in a window may leave faster than the rate only if the window's own rate is known.
if pace.spareUntil > now then rate = pace.stated > 0 and pace.spare or math.min(rate, pace.spare) end
if ceiling > 0 then rate = math.min(rate, ceiling) end
local interval = 1000000 / rate
-- Permits of the last moments that nobody used are made up for, but not under a ceiling, and not those of the time of a block.
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
-- Late permits would reach the service's limit together, unless the service states its rate: then a late call still fits into its window.
local crowds = limits == 1 and pace.peak > 0 and pace.stated == 0 and 1 or 0
return { 'permits', permits, 'firstUs', math.ceil(math.max(first, 0)), 'betweenUs', math.ceil(interval), 'episode', pace.episode,
  'probing', pace.trial, 'why', why, 'because', pace.because, 'phase', pace.phase, 'ratePerS', string.format('%.3f', rate),
  'flowPerS', string.format('%.3f', pace.flow), 'limits', limits, 'crowds', crowds }
