-- The numbers by which the pace is learned, all of them, each with its reason. Spans are µs and rates calls a second where the
-- name says nothing else.

-- An account that was not used for 30 days begins anew.
local KEPT_S = 2592000

-- What limits us -------------------------------------------------------------------------------------------------------------

-- Who was made to wait within the last second, or within two turns of a slow pace, is limited by the pace.
local LIMITS_FOR, LIMITS_FOR_TURNS = 1000000, 2
-- What was accepted lately fades with this time constant: the mean of some calls, and soon nothing where none follow.
local FLOW_FADE = 600000

-- Turns ----------------------------------------------------------------------------------------------------------------------

-- A process that was busy when its turns came due may make up for 50 ms of them, or for two turns, but never for 100 ms.
local BEHIND_LEAST, BEHIND_TURNS, BEHIND_MOST = 50000, 2, 100000
-- Where the pace has limited nobody for so long, nothing is made up for.
local NOT_BEHIND_AFTER = 1000000

-- How the rate grows ---------------------------------------------------------------------------------------------------------

-- One call adds ln 2 / T to the rate, which doubles it in T seconds when calls are accepted as fast as they may leave.
local LN_2 = 0.693
-- T and the share by which one call may raise the rate at the most, since few calls say little of a slow service: to begin
-- with, a limit is a few doublings away, and each overshoots by what is on its way.
local START_DOUBLES_S, START_MOST = 0.2, 0.2
-- After the first refusal the limit is near; where another costs a long wait, slower by a third, or by 20 calls.
local SEARCH_DOUBLES_S, SEARCH_MOST = 3, 0.1
local SEARCH_DEAR_DOUBLES_S, SEARCH_DEAR_CALLS = 4, 20
-- Just under the limit: a look upward now and then, and a creep between looks where a look is dear or the limit is foreseen.
local LOOK_DOUBLES_S, CREEP_DOUBLES_S, SURE_CREEP_DOUBLES_S, HOLD_MOST = 5, 100, 400, 0.03
-- Before a look upward the limit is believed for 2 s, or for 6 where two measures agree on it, and for 20 calls.
local PATIENCE, SURE_PATIENCE, PATIENCE_CALLS = 2000000, 6000000, 20000000
-- A look that is answered by a long wait may cost a thirtieth of the time, and is made after half a minute anyhow.
local DEAR_PATIENCE_WAITS, DEAR_PATIENCE_MOST = 30, 30000000
-- So far above the known limit there is none: it has moved, or was another's traffic.
local BEYOND_PEAK = 1.35
-- No service that counts calls counts more of them.
local FASTEST = 100000
-- Slower than a call a minute nothing could be learned any more.
local SLOWEST = 1 / 60
-- An answer tells of the limit where the pace has limited us within 150 ms, or three calls of a slow service. After half
-- a second the allowance has filled by an unknown part, so that no measure may go over it.
local TELLS_WITHIN, BREAKS_AFTER, IDLE_CALLS = 150000, 500000, 3000000

-- What a refusal costs -------------------------------------------------------------------------------------------------------

-- A wait from which on a refusal is dear. While it lasts a burst of unknown size comes back, which is then not to be taken
-- for rate: some 0.3 s' worth.
local DEAR, BURST_S = 500000, 0.3

-- What the service says is left ----------------------------------------------------------------------------------------------

-- The rate is lowered when two fifths are left of the most that ever was, so that a stall of ours still fits in, or three
-- while the rate doubles; and no less than the calls of the last 50 ms, which are on their way and take from them still.
local BRINK, START_BRINK, BRINK_S = 0.4, 0.6, 0.05
-- An allowance that is hardly larger than that foretells nothing.
local BRINK_WITHIN = 1.5
-- What it said is believed for 2 s, and counts for a mark within 0.3 s.
local LEVEL_FRESH, LEVEL_AT_MARK = 2000000, 300000
-- A service is known to count by windows for so long after one of them was seen to begin anew.
local WINDOWS_FOR = 10000000
-- A bucket fills by the rate: by twice as much and two calls more it is a window. Answers may be told of 100 ms late.
local WINDOW_CALLS, WINDOW_RATES, TOLD_LATE = 2, 2, 100000
-- A longer window is an allowance to be used up: spread over the rest of it once less than a fifth is left.
local LONG_RESET, SPREAD_BELOW = 2000000, 0.2
-- A stated rate that differs by 1 % is another one; 1 % below it is room for what arrives late.
local STATED_DIFFERS, STATED_SHARE = 0.01, 0.99
-- So many calls since the rate was changed last tell of a brink, 10 while it doubles, and those of a tenth of a second.
local BRINK_CALLS, START_BRINK_CALLS, BRINK_CALLS_S = 20, 10, 0.1

-- Measures -------------------------------------------------------------------------------------------------------------------

-- Marks that are kept, and how far they lie apart: a quarter of a second, or eight calls. So they reach back some 4 s.
local MARKS, MARK_EVERY, MARK_CALLS = 16, 250000, 8000000
-- A call more or less must not matter much: a measure takes 20 calls, and 0.2 s where what was left is known to the call, or
-- 1 s where a burst is only guessed. From the first mark on, where the limit was met, five calls in half a second tell.
local MEASURE_CALLS, MEASURE_S, GUESSED_MEASURE_S = 20, 0.2, 1
local FIRST_MEASURE_CALLS, FIRST_MEASURE_S = 5, 0.5
-- Two measures agree within 5 %.
local AGREE = 0.05

-- How the rate is lowered ----------------------------------------------------------------------------------------------------

-- Just under what was measured, or than what it was.
local UNDER = 0.98
-- Climbed so far beyond the old limit, that limit has not fallen.
local ABOVE_PEAK = 1.08
-- One measure lowers the rate by so much at the most: one is too little when a process of ours stood still meanwhile. Foreseen
-- while it doubles, the rate may be far above.
local LOWEST, START_LOWEST = 0.7, 0.3
-- Near the limit a fall is met again at once, so one step is small.
local HOLD_LOWEST_OF_PEAK, HOLD_LOWEST = 0.92, 0.75
-- Without a measure, a guess; a larger one where a wrong guess costs another long wait.
local GUESS, DEAR_GUESS = 0.85, 0.65
-- A slow service shows itself by how long few calls took, once that is longer than a second's window; half as much again is
-- room for the calls that were not made.
local FEW_CALLS, FEW_S, FEW_ROOM, FEW_LOWEST = 5, 1.5, 1.5, 0.25
-- Some calls are enough for a mean, which is then no measure yet.
local MEAN_MOST, MEAN_LOWEST = 0.9, 0.5
-- The first refusal: a doubling overshoots by what the burst hides, and has run for a fifth of a second at the least.
local START_RAN_S, START_LOWER, START_LOWEST_GUESS = 0.2, 0.75, 0.25

-- Refusals in a row ----------------------------------------------------------------------------------------------------------

-- So many double the wait, and more do not count; the rate is lowered by the first four, since a service that refuses all says
-- nothing of it; from the third on it is tried with one call at a time.
local STRIKES_MOST, STRIKES_LOWER, STRIKES_BEFORE_TRIAL = 20, 4, 2
-- A bucket gives nothing before one call's worth of time is over; less than 20 ms are noise on the way.
local LEAST_WAIT = 20000
-- Up to half as long again, so that processes that were refused together do not come back together.
local JITTER = 0.5
-- It answers, so that asking it costs half of what it costs where nobody is there.
local REFUSAL_WAIT_SHARE = 0.5

-- Time ----------------------------------------------------------------------------------------------------------------------

-- After ten quiet minutes what was learned begins to fade, and halves in each quiet hour.
local QUIET_AFTER, QUIET_HALVES = 600000000, 3600000000
-- Another server that takes over may have a clock that is behind; less than a second is no takeover.
local CLOCK_BEHIND = 1000000
