-- Constants of the pace and the breakers, each with its reason. Durations are in µs and rates in calls a second unless the name says
-- otherwise. One table, since the script of each permit builds it anew.
local N = {
  -- An account that was not used for 30 days begins anew.
  KEPT_S = 2592000,

  -- [ What limits us ]

  -- The pace limits the calls if one waited for a permit within the last second, or within two permits of a slow pace.
  LIMITS_FOR = 1000000, LIMITS_FOR_PERMITS = 2,
  -- Time constant of the mean of accepted calls: it covers some calls, and soon falls to 0 without new ones.
  FLOW_FADE = 600000,

  -- [ Permits ]

  -- After a busy moment a process may make up for missed permits: for 50 ms of them or for two permits, but at most for 100 ms.
  BEHIND_LEAST = 50000, BEHIND_PERMITS = 2, BEHIND_MOST = 100000,
  -- Unused permits are not made up for if no call has waited for the pace for this long.
  NOT_BEHIND_AFTER = 1000000,

  -- [ How the rate grows ]

  -- One accepted call adds ln 2 / T to the rate, which doubles it in T seconds if calls are accepted as fast as they may leave.
  LN_2 = 0.693,
  -- T, and the largest share by which one call raises the rate, since few calls say little about a slow service. At the start the limit is
  -- a few doublings away, and each overshoots by the calls in flight.
  START_DOUBLES_S = 0.2, START_MOST = 0.2,
  -- After the first refusal the limit is near. If a refusal costs a long wait, T is a third longer, or the time of 20 calls.
  SEARCH_DOUBLES_S = 3, SEARCH_MOST = 0.1,
  SEARCH_DEAR_DOUBLES_S = 4, SEARCH_DEAR_CALLS = 20,
  -- Just under the limit: tests of higher rates, and a slow rise in between if tests are dear or the limit is foreseen.
  LOOK_DOUBLES_S = 5, CREEP_DOUBLES_S = 100, SURE_CREEP_DOUBLES_S = 400, HOLD_MOST = 0.03,
  -- Time before a test: 2 s, or 6 s if two measures agree on the limit, and at least 20 calls.
  PATIENCE = 2000000, SURE_PATIENCE = 6000000, PATIENCE_CALLS = 20000000,
  -- Tests that cost a long wait may take a thirtieth of the time; one is made after half a minute anyway.
  DEAR_PATIENCE_WAITS = 30, DEAR_PATIENCE_MOST = 30000000,
  -- Above this share of the known limit, that limit is gone: it moved, or other clients' calls caused it.
  BEYOND_PEAK = 1.35,
  -- The fastest rate: no service that limits calls allows more.
  FASTEST = 100000,
  -- The slowest rate, a call a minute: with less, nothing could be learned.
  SLOWEST = 1 / 60,
  -- A response concerns the limit only if a call waited for the pace within the last 150 ms, or within three calls of a slow service. Half
  -- a second after the last wait, the allowance has refilled by an unknown part, so no measure may span it.
  TELLS_WITHIN = 150000, BREAKS_AFTER = 500000, IDLE_CALLS = 3000000,

  -- [ What a refusal costs ]

  -- A refusal is costly if the service then makes calls wait for longer than this. During the wait its allowance for bursts refills, by
  -- the calls of some 0.3 s. These must not count as rate.
  DEAR = 500000, BURST_S = 0.3,

  -- [ What the service says is left ]

  -- The rate is lowered when two fifths of the largest remainder are left, or three while it doubles: a stall of ours must still fit in. At
  -- least the calls of 50 ms must be left, since calls in flight use them.
  BRINK = 0.4, START_BRINK = 0.6, BRINK_S = 0.05,
  -- An allowance hardly larger than that gives no warning.
  BRINK_WITHIN = 1.5,
  -- A stated remainder is valid for 2 s, and for a mark for 0.3 s.
  LEVEL_FRESH = 2000000, LEVEL_AT_MARK = 300000,
  -- For this long after a window began anew, the service counts by windows.
  WINDOWS_FOR = 10000000,
  -- A bucket refills at the rate. A refill of more than twice that and two calls is a new window. Responses may be reported 100 ms late.
  WINDOW_CALLS = 2, WINDOW_RATES = 2, TOLD_LATE = 100000,
  -- A longer window is an allowance to use up. Its end is stated up to a second late. Calls slow down when the remainder would last half a
  -- second.
  LONG_RESET = 2000000, RESET_LATE = 1000000, BRAKE = 500000,
  -- Windows up to this length are a rate. They seem up to 0.3 s shorter than they are, and after a wait a second longer. A window's calls
  -- may arrive 20 ms late, in the next one.
  RATE_WINDOW_S = 10, WINDOW_EARLY_S = 0.3, WINDOW_LATE_S = 1.2, WINDOW_ROOM_S = 0.02,
  -- A measured rate is dropped if two of the longest windows go by with less than half used. If only refusals state windows: after five
  -- minutes, of which one more refusal costs a small part.
  MEASURED_FOR = 25000000, REFUSED_FOR = 300000000,
  -- Up to a quarter of difference from the service's count comes from late or early reports.
  UNTOLD = 0.25, SIDES_FROM = 1.25,
  -- After unused time in a window its remainder may go faster than the rate, at most twice as fast.
  BEHIND_WINDOW = 1.02, CATCH_UP = 2,
  -- A stated rate that differs by 1 % is a new one. A lower measured one counts for at most a tenth at a time.
  STATED_DIFFERS = 0.01, STATED_LOWER = 0.9,
  -- Calls since the last change of the rate before a low remainder counts: 20, or 10 while it doubles, and those of 0.1 s.
  BRINK_CALLS = 20, START_BRINK_CALLS = 10, BRINK_CALLS_S = 0.1,

  -- [ Measures ]

  -- Marks kept, and their distance: a quarter of a second, or eight calls. Together they cover some 4 s.
  MARKS = 16, MARK_EVERY = 250000, MARK_CALLS = 8000000,
  -- One call must not change a measure much: it needs 20 calls and 0.2 s, or 1 s if the remainder is only guessed. Since the first mark,
  -- where the limit was reached, five calls in half a second are enough.
  MEASURE_CALLS = 20, MEASURE_S = 0.2, GUESSED_MEASURE_S = 1,
  FIRST_MEASURE_CALLS = 5, FIRST_MEASURE_S = 0.5,
  -- Two measures agree within 5 %.
  AGREE = 0.05,

  -- [ How the rate is lowered ]

  -- The rate falls to this share of the measured or of the old rate, whichever is lower.
  UNDER = 0.98,
  -- If the rate rose this far above the old limit before a refusal, that limit has not fallen.
  ABOVE_PEAK = 1.08,
  -- The lowest share of the rate after one measure, which is too low if a process of ours stalled. While the rate doubles it may be far
  -- above a foreseen limit.
  LOWEST = 0.7, START_LOWEST = 0.3,
  -- Near the limit one step is small: if the limit fell, it is reached again at once.
  HOLD_LOWEST_OF_PEAK = 0.92, HOLD_LOWEST = 0.75,
  -- Without a measure the share is a guess, and the cut larger if a wrong guess costs another long wait.
  GUESS = 0.85, DEAR_GUESS = 0.65,
  -- A service is slow if few calls took longer than a second's window. Half as much again is room for calls that were not made.
  FEW_CALLS = 5, FEW_S = 1.5, FEW_ROOM = 1.5, FEW_LOWEST = 0.25,
  -- From FEW_CALLS on their mean is used, between these shares of the rate; it is no measure yet.
  MEAN_MOST = 0.9, MEAN_LOWEST = 0.5,
  -- The first refusal: doubling has overshot by a hidden burst, and counts as at least a fifth of a second long.
  START_RAN_S = 0.2, START_LOWER = 0.75, START_LOWEST_GUESS = 0.25,

  -- [ Refusals in a row ]

  -- Up to 20 blocks in a row double the wait. Only the first four lower the rate: a service that refuses everything says nothing about it.
  -- From the third refusal on, one call at a time tries the service.
  STRIKES_MOST = 20, STRIKES_LOWER = 4, STRIKES_BEFORE_PROBE = 2,
  -- The least wait after a refusal. A bucket has a call again after one call's time; less than 20 ms is network noise.
  LEAST_WAIT = 20000,
  -- The wait is up to half as long again, so that processes refused together do not return together.
  JITTER = 0.5,
  -- The longest wait after refusals is this share of that in an outage: an attempt costs less if the service responds.
  REFUSAL_WAIT_SHARE = 0.5,

  -- [ Time ]

  -- After ten quiet minutes the learned rate begins to fade; it halves in each quiet hour.
  QUIET_AFTER = 600000000, QUIET_HALVES = 3600000000,
  -- A clock that is behind by more shows a takeover by another server.
  CLOCK_BEHIND = 1000000,

  -- [ Circuit breakers ]

  -- A late report makes a call seem sent later than it was, by at most this time.
  BREAKER_TOLD_LATE = 250000,
}
