-- Hands out turns: moments at which one call may leave, spaced evenly over all processes (GCRA). Learns
-- from what the asking process has heard since it asked last.
-- KEYS[1] the pace, see pace-state.lua
-- ARGV[1] turns wanted   ARGV[2] most calls a second, 0 for no ceiling   ARGV[3] µs ahead that turns are handed out
-- ARGV[4] µs between turns on trial   ARGV[5] first rate   ARGV[6] calls accepted since this process asked last
-- ARGV[7..10] of the service's headers, -1 where they say nothing: the limit, what remains of it, µs until it is reset,
--   calls a second
-- Answers { turns, µs until the first, µs between them, episode, trial, why nothing leaves or "", phase, rate, flow,
--   1 where the pace holds the line back }; with no turns, µs until it is worth asking again
-- Sent twice it hands out turns that nobody takes: the line is a little slower, never faster.
-- @include pace-state
-- @include raise-rate
-- @include lower-rate
-- @include hear-headers
local wanted, ceiling, ahead = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local pace = load(tonumber(ARGV[5]))
forget(pace, tonumber(ARGV[5]))
count(pace, tonumber(ARGV[6]))
hear(pace, tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10]))

if pace.stated > 0 then pace.rate = math.min(pace.rate, 0.99 * pace.stated) end
-- A ceiling that is lifted one day leaves no rate behind that the service was never seen to take.
if ceiling > 0 then pace.rate = math.min(pace.rate, ceiling) end
local rate = pace.rate
if pace.spareUntil > now then rate = math.min(rate, pace.spare) end
local interval = 1000000 / rate
-- A process that was busy when its turns came due may make up for 50 ms of them, or for two; a ceiling is never made up
-- for, and after a block the line begins with one call.
local behind = ceiling > 0 and 0 or math.max(50000, math.min(2 * interval, 100000))
local tat = math.max(pace.tat, now - behind, pace['until'])
if now - pace.heldAt > 1000000 then tat = math.max(tat, now) end
local turns, first, why = 0, 0, ''
if pace['until'] > now then
  first, why = pace['until'] - now, pace.why
elseif pace.trial == 1 and pace.tryAt > now then
  first, why = pace.tryAt - now, pace.why
elseif wanted > 0 then
  turns = math.min(wanted, math.floor((now + ahead - tat) / interval) + 1)
  if pace.trial == 1 then turns = math.min(turns, 1) end
  if turns < wanted or tat > now then pace.heldAt = now end
  first = turns > 0 and tat - now or tat - now - ahead
end
if turns > 0 then
  pace.tat = tat + turns * interval
  pace.tryAt = now + tonumber(ARGV[4])
end
turns = math.max(turns, 0)
if wanted > 0 then pace.askedAt = now end
save(pace)
local held = now - pace.heldAt < 1000000 + 2 * interval and 1 or 0
return { turns, math.ceil(math.max(first, 0)), math.ceil(interval), pace.episode, pace.trial, why, pace.phase,
  string.format('%.3f', rate), string.format('%.3f', pace.flow), held }
