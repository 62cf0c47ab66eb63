-- Stops all turns for a while: the service asked for it, says that we are too fast, does not answer, or refuses us.
-- KEYS[1] the pace, see pace-state.lua
-- ARGV[1] µs asked for by the service, or 0   ARGV[2] 1 where we were too fast: then the rate is cut
-- ARGV[3] first wait in µs   ARGV[4] longest wait in µs   ARGV[5] why, for people
-- ARGV[6] episode in which the call had its turn: fifty workers meeting one limit count once
-- ARGV[7] first rate   ARGV[8] calls accepted since this process asked last   ARGV[9] jitter, 0 to 1
-- Answers { µs until turns are handed out again, episode, 1 where this call opened the episode }
-- @include pace-state
-- @include raise-rate
-- @include lower-rate
local pace = load(tonumber(ARGV[7]))
count(pace, tonumber(ARGV[8]))
local opens = tonumber(ARGV[6]) >= pace.episode and 1 or 0
local wait, longest = tonumber(ARGV[1]), tonumber(ARGV[4])
if opens == 1 then
  -- Nothing accepted since the last one: the wait was too short, so it doubles.
  if pace.accepted > pace.strikeAccepted then pace.strikes = 0 end
  pace.strikes, pace.strikeAccepted = math.min(pace.strikes + 1, 20), pace.accepted
  pace.episode = pace.episode + 1
  local guess = tonumber(ARGV[3])
  if ARGV[2] == '1' then
    -- A service that refuses everything for a while says nothing of its rate.
    if pace.strikes <= 4 then cut(pace, 0, wait) end
    -- One call's worth of time, since a bucket gives nothing before; 20 ms are noise on the way.
    guess = math.max(1000000 / pace.rate, 20000) * (1 + 0.5 * tonumber(ARGV[9]))
    -- It answers, so asking it costs little: half as long as where nobody is there, or one call's worth.
    longest = math.max(longest / 2, guess)
  end
  if wait == 0 then wait = math.min(guess * 2 ^ (pace.strikes - 1), longest) end
  pace.trial = (ARGV[2] == '0' or pace.strikes > 2) and 1 or 0
end
-- While nobody answers, nothing can be measured.
if ARGV[2] == '0' then pace.marks = '' end
if now + wait > pace['until'] then pace['until'], pace.why = now + wait, ARGV[5] end
if wait > 0 and pace['until'] > now then pace.heldAt = math.max(pace.heldAt, pace['until']) end
save(pace)
return { math.max(0, math.ceil(pace['until'] - now)), pace.episode, opens }
