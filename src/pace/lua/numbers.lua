-- The numbers by which the pace is learned and the breakers are judged, each with its reason. Spans are µs and rates calls a second
-- where the name says nothing else. One table, since a script that runs for each permit makes it anew each time.
local N = {
  -- An account that was not used for 30 days begins anew.
  KEPT_S = 2592000,

  -- [ What limits us ]

  -- Who was made to wait within the last second, or within two permits of a slow pace, is limited by the pace.
  LIMITS_FOR = 1000000, LIMITS_FOR_PERMITS = 2,
  -- What was accepted lately fades with this time constant: the mean of some calls, and soon nothing where none follow.
  FLOW_FADE = 600000,

  -- [ Permits ]

  -- A process that was busy when its permits came due may make up for 50 ms of them, or for two permits, but never for 100 ms.
  BEHIND_LEAST = 50000, BEHIND_PERMITS = 2, BEHIND_MOST = 100000,
  -- Where nobody had to wait for the pace for so long, permits that went by unused are not made up for.
  NOT_BEHIND_AFTER = 1000000,

  -- [ How the rate grows ]

  -- One call adds ln 2 / T to the rate, which doubles it in T seconds when calls are accepted as fast as they may leave.
  LN_2 = 0.693,
  -- T and the share by which one call may raise the rate at the most, since few calls say little of a slow service: to begin
  -- with, a limit is a few doublings away, and each overshoots by what is on its way.
  START_DOUBLES_S = 0.2, START_MOST = 0.2,
  -- After the first refusal the limit is near; where another costs a long wait, slower by a third, or by 20 calls.
  SEARCH_DOUBLES_S = 3, SEARCH_MOST = 0.1,
  SEARCH_DEAR_DOUBLES_S = 4, SEARCH_DEAR_CALLS = 20,
  -- Just under the limit: a look upward now and then, and a creep between looks where a look is dear or the limit is foreseen.
  LOOK_DOUBLES_S = 5, CREEP_DOUBLES_S = 100, SURE_CREEP_DOUBLES_S = 400, HOLD_MOST = 0.03,
  -- Before a look upward the limit is believed for 2 s, or for 6 where two measures agree on it, and for 20 calls.
  PATIENCE = 2000000, SURE_PATIENCE = 6000000, PATIENCE_CALLS = 20000000,
  -- A look that is answered by a long wait may cost a thirtieth of the time, and is made after half a minute anyhow.
  DEAR_PATIENCE_WAITS = 30, DEAR_PATIENCE_MOST = 30000000,
  -- So far above the known limit there is none: it has moved, or was another's traffic.
  BEYOND_PEAK = 1.35,
  -- No service that counts calls counts more of them.
  FASTEST = 100000,
  -- Slower than a call a minute nothing could be learned any more.
  SLOWEST = 1 / 60,
  -- An answer tells of the limit where the pace has limited us within 150 ms, or three calls of a slow service. After half
  -- a second the allowance has filled by an unknown part, so that no measure may go over it.
  TELLS_WITHIN = 150000, BREAKS_AFTER = 500000, IDLE_CALLS = 3000000,

  -- [ What a refusal costs ]

  -- A wait from which on a refusal is dear. While it lasts a burst of unknown size comes back, which is then not to be taken
  -- for rate: some 0.3 s' worth.
  DEAR = 500000, BURST_S = 0.3,

  -- [ What the service says is left ]

  -- The rate is lowered when two fifths are left of the most that ever was, so that a stall of ours still fits in, or three
  -- while the rate doubles; and no less than the calls of the last 50 ms, which are on their way and take from them still.
  BRINK = 0.4, START_BRINK = 0.6, BRINK_S = 0.05,
  -- An allowance that is hardly larger than that foretells nothing.
  BRINK_WITHIN = 1.5,
  -- What it said is believed for 2 s, and counts for a mark within 0.3 s.
  LEVEL_FRESH = 2000000, LEVEL_AT_MARK = 300000,
  -- A service is known to count by windows for so long after one of them was seen to begin anew.
  WINDOWS_FOR = 10000000,
  -- A bucket fills by the rate: by twice as much and two calls more it is a window. Answers may be told of 100 ms late.
  WINDOW_CALLS = 2, WINDOW_RATES = 2, TOLD_LATE = 100000,
  -- A longer window is an allowance to be used up; its end is written up to a second late, and those who use it up brake when
  -- what is left would be gone in half a second.
  LONG_RESET = 2000000, RESET_LATE = 1000000, BRAKE = 500000,
  -- Windows that are no longer are a rate to be kept. As heard of they seem up to 0.3 s shorter than they are, and after a wait
  -- a second longer; calls of one may arrive 20 ms late, in the next.
  RATE_WINDOW_S = 10, WINDOW_EARLY_S = 0.3, WINDOW_LATE_S = 1.2, WINDOW_ROOM_S = 0.02,
  -- Less than half of what is left at most was used for two of the longest windows: then they are none. Where refusals alone tell of
  -- them, one more in five minutes is a small part of that time.
  MEASURED_FOR = 25000000, REFUSED_FOR = 300000000,
  -- A quarter more or less than what it counted is calls that were not told of yet, or too early.
  UNTOLD = 0.25, SIDES_FROM = 1.25,
  -- What is left may be used faster than by the rate, where some of the window went by unused, and at twice the rate at the most.
  BEHIND_WINDOW = 1.02, CATCH_UP = 2,
  -- A stated rate that differs by 1 % is another one. A lower one that was measured is believed by a tenth at a time.
  STATED_DIFFERS = 0.01, STATED_LOWER = 0.9,
  -- So many calls since the rate was changed last tell of a brink, 10 while it doubles, and those of a tenth of a second.
  BRINK_CALLS = 20, START_BRINK_CALLS = 10, BRINK_CALLS_S = 0.1,

  -- [ Measures ]

  -- Marks that are kept, and how far they lie apart: a quarter of a second, or eight calls. So they reach back some 4 s.
  MARKS = 16, MARK_EVERY = 250000, MARK_CALLS = 8000000,
  -- A call more or less must not matter much: a measure takes 20 calls, and 0.2 s where what was left is known to the call, or
  -- 1 s where a burst is only guessed. From the first mark on, where the limit was met, five calls in half a second tell.
  MEASURE_CALLS = 20, MEASURE_S = 0.2, GUESSED_MEASURE_S = 1,
  FIRST_MEASURE_CALLS = 5, FIRST_MEASURE_S = 0.5,
  -- Two measures agree within 5 %.
  AGREE = 0.05,

  -- [ How the rate is lowered ]

  -- Just under what was measured, or than what it was.
  UNDER = 0.98,
  -- Climbed so far beyond the old limit, that limit has not fallen.
  ABOVE_PEAK = 1.08,
  -- One measure lowers the rate by so much at the most: one is too little when a process of ours stood still meanwhile. Foreseen
  -- while it doubles, the rate may be far above.
  LOWEST = 0.7, START_LOWEST = 0.3,
  -- Near the limit a fall is met again at once, so one step is small.
  HOLD_LOWEST_OF_PEAK = 0.92, HOLD_LOWEST = 0.75,
  -- Without a measure, a guess; a larger one where a wrong guess costs another long wait.
  GUESS = 0.85, DEAR_GUESS = 0.65,
  -- A slow service shows itself by how long few calls took, once that is longer than a second's window; half as much again is
  -- room for the calls that were not made.
  FEW_CALLS = 5, FEW_S = 1.5, FEW_ROOM = 1.5, FEW_LOWEST = 0.25,
  -- Some calls are enough for a mean, which is then no measure yet.
  MEAN_MOST = 0.9, MEAN_LOWEST = 0.5,
  -- The first refusal: a doubling overshoots by what the burst hides, and has run for a fifth of a second at the least.
  START_RAN_S = 0.2, START_LOWER = 0.75, START_LOWEST_GUESS = 0.25,

  -- [ Refusals in a row ]

  -- So many double the wait, and more do not count; the rate is lowered by the first four, since a service that refuses all says
  -- nothing of it; from the third on it is tried with one call at a time.
  STRIKES_MOST = 20, STRIKES_LOWER = 4, STRIKES_BEFORE_PROBE = 2,
  -- A bucket gives nothing before one call's worth of time is over; less than 20 ms are noise on the way.
  LEAST_WAIT = 20000,
  -- Up to half as long again, so that processes that were refused together do not come back together.
  JITTER = 0.5,
  -- It answers, so that asking it costs half of what it costs where nobody is there.
  REFUSAL_WAIT_SHARE = 0.5,

  -- [ Time ]

  -- After ten quiet minutes what was learned begins to fade, and halves in each quiet hour.
  QUIET_AFTER = 600000000, QUIET_HALVES = 3600000000,
  -- Another server that takes over may have a clock that is behind; less than a second is no takeover.
  CLOCK_BEHIND = 1000000,

  -- [ Circuit breakers ]

  -- Answers that are told of late seem to belong to calls sent later than they were; by so much at the most.
  BREAKER_TOLD_LATE = 250000,
}
