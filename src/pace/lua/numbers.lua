-- Constants of the pace and the breakers, each with its reason. Durations are in µs and rates in calls a second unless the name says
-- otherwise. One table, since the script of each permit builds it anew.
local N = {
  -- After this time without use, Redis drops the pace and the breakers of an account: 30 days.
  KEPT_S = 2592000,

  -- [ What limits us ]

  -- The pace counts as limiting the calls if one waited for a permit within the last second and the time of two permits.
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
  -- Phase start: T, the seconds in which the rate doubles, and the largest share by which one accepted call raises it, since few calls say
  -- little about a slow service. The limit is a few doublings away, and each overshoots by the calls in flight.
  START_DOUBLES_S = 0.2, START_MOST = 0.2,
  -- Phase search, after the first refusal, when the limit is near: T, the seconds in which the rate doubles, and the largest share by which
  -- one accepted call raises it. If a refusal is dear, the rate doubles in four seconds, or in the time of 20 calls.
  SEARCH_DOUBLES_S = 3, SEARCH_MOST = 0.1,
  SEARCH_DEAR_DOUBLES_S = 4, SEARCH_DEAR_CALLS = 20,
  -- Phase hold, just under the limit. LOOK: seconds in which the rate doubles during a test of higher rates. CREEP: the same during the slow
  -- rise between tests, which happens only if a test costs a long wait or the limit is foreseen. HOLD_MOST is the largest share by which one
  -- call raises the rate.
  LOOK_DOUBLES_S = 5, CREEP_DOUBLES_S = 100, SURE_CREEP_DOUBLES_S = 400, HOLD_MOST = 0.03,
  -- Time before higher rates are tested: 2 s, or 6 s if two measures agree on the limit, and at least the time of 20 calls.
  PATIENCE = 2000000, SURE_PATIENCE = 6000000, PATIENCE_CALLS = 20000000,
  -- If a refusal costs a long wait, 30 such waits pass before higher rates are tested, but at most half a minute.
  DEAR_PATIENCE_WAITS = 30, DEAR_PATIENCE_MOST = 30000000,
  -- If the rate rises above this multiple of the known limit, that limit no longer holds: it moved, or other clients' calls caused it.
  BEYOND_PEAK = 1.35,
  -- The fastest rate: no service that limits calls allows more.
  FASTEST = 100000,
  -- The slowest rate, a call a minute: with less, nothing could be learned.
  SLOWEST = 1 / 60,
  -- A response says something of the limit only if a call waited for the pace within the last 150 ms (TELLS_WITHIN), or within three calls
  -- of a slow service. Half a second after the last wait (BREAKS_AFTER), the service's allowance has refilled by an unknown part, so no
  -- measure may span it.
  TELLS_WITHIN = 150000, BREAKS_AFTER = 500000, IDLE_CALLS = 3000000,

  -- [ What a refusal costs ]

  -- A refusal is dear if the service then makes calls wait for longer than DEAR. During the wait its allowance for bursts refills, by the
  -- calls of some BURST_S seconds. These calls must not count as rate.
  DEAR = 500000, BURST_S = 0.3,

  -- [ What the service says is left ]

  -- The rate is lowered before a refusal when only this share of the largest stated remainder is left (START_BRINK while the rate doubles):
  -- the calls that leave at once after a stall of this process must still fit in. The same happens when only the calls of BRINK_S seconds
  -- are left, since calls in flight use them.
  BRINK = 0.4, START_BRINK = 0.6, BRINK_S = 0.05,
  -- If the largest remainder is less than this multiple of the one that lowers the rate, remainders give no warning, and refusals show the
  -- limit.
  BRINK_WITHIN = 1.5,
  -- The number of calls left (remainder) that the service stated is used for 2 s. A mark, which is a moment from which the rate is measured,
  -- records it only if it is at most 0.3 s old.
  LEVEL_FRESH = 2000000, LEVEL_AT_MARK = 300000,
  -- For this long after a window began anew, stated remainders are taken as those of windows, and not of a token bucket.
  WINDOWS_FOR = 10000000,
  -- A token bucket refills at the rate. So a remainder that grew by more than WINDOW_RATES times the rate and WINDOW_CALLS calls shows a
  -- new window. Responses may be reported TOLD_LATE late.
  WINDOW_CALLS = 2, WINDOW_RATES = 2, TOLD_LATE = 100000,
  -- A window that ends in more than LONG_RESET is an allowance to use up. The service states its end up to RESET_LATE late. Calls slow down
  -- when the remainder would last for less than BRAKE.
  LONG_RESET = 2000000, RESET_LATE = 1000000, BRAKE = 500000,
  -- A window of up to RATE_WINDOW_S is a rate. It can seem shorter than it is by WINDOW_EARLY_S, and after a wait longer by WINDOW_LATE_S.
  -- Its last calls may arrive WINDOW_ROOM_S late, in the next window.
  RATE_WINDOW_S = 10, WINDOW_EARLY_S = 0.3, WINDOW_LATE_S = 1.2, WINDOW_ROOM_S = 0.02,
  -- A rate that was measured from windows is dropped if for this time no window is used by more than half; it covers two of the longest
  -- windows. If only refusals state windows, it is dropped after REFUSED_FOR without one: one more refusal is a small part of five minutes.
  MEASURED_FOR = 25000000, REFUSED_FOR = 300000000,
  -- Our count of accepted calls may differ from the service's by a quarter, because responses are reported late or early. Only a greater
  -- difference means something.
  UNTOLD = 0.25, SIDES_FROM = 1.25,
  -- If a window's remainder allows more than BEHIND_WINDOW times the stated rate, because time went unused, calls may leave faster than
  -- that rate, at most CATCH_UP times as fast.
  BEHIND_WINDOW = 1.02, CATCH_UP = 2,
  -- A stated rate counts as a new one if it differs by more than 1 %. A lower rate that is measured from windows counts for at most a tenth
  -- at a time.
  STATED_DIFFERS = 0.01, STATED_LOWER = 0.9,
  -- Calls that must be accepted after a change of the rate before a low remainder changes it again: 20, or 10 while the rate doubles, and
  -- at least those of 0.1 s.
  BRINK_CALLS = 20, START_BRINK_CALLS = 10, BRINK_CALLS_S = 0.1,

  -- [ Measures ]

  -- The number of marks (moments from which rates are measured) that are kept, and their distance: a quarter of a second, or eight calls.
  -- Together they cover some 4 s.
  MARKS = 16, MARK_EVERY = 250000, MARK_CALLS = 8000000,
  -- A measure of the rate needs 20 calls, so that one call does not change it much, and 0.2 s, or 1 s if the remainder at its mark is only
  -- guessed. From the first mark, where the limit was reached, five calls and half a second are enough.
  MEASURE_CALLS = 20, MEASURE_S = 0.2, GUESSED_MEASURE_S = 1,
  FIRST_MEASURE_CALLS = 5, FIRST_MEASURE_S = 0.5,
  -- Two measures of the limit agree if they differ by less than 5 %.
  AGREE = 0.05,

  -- [ How the rate is lowered ]

  -- The rate falls to this share of the measured or of the old rate, whichever is lower.
  UNDER = 0.98,
  -- If the rate rose this far above the old limit before a refusal, that limit has not fallen.
  ABOVE_PEAK = 1.08,
  -- One measure lowers the rate to no less than LOWEST of the old rate, since the measure is too low if one of our processes stalled.
  -- START_LOWEST is for a limit that is foreseen before a refusal, while the rate doubles: the rate may then be far above the limit.
  LOWEST = 0.7, START_LOWEST = 0.3,
  -- In phase hold one measure lowers the rate to no less than these shares of the limit and of the rate: if the limit fell, it is reached
  -- again at once.
  HOLD_LOWEST_OF_PEAK = 0.92, HOLD_LOWEST = 0.75,
  -- Without a measure the rate is lowered to this share of the old rate, which is a guess. DEAR_GUESS is lower, because a wrong guess then
  -- costs another long wait.
  GUESS = 0.85, DEAR_GUESS = 0.65,
  -- A service is slow if fewer than FEW_CALLS were accepted in more than FEW_S seconds, longer than a window of a second. The rate is then
  -- lowered to FEW_ROOM times the rate of these calls, since more calls might have been accepted, but to no less than FEW_LOWEST of the old
  -- rate.
  FEW_CALLS = 5, FEW_S = 1.5, FEW_ROOM = 1.5, FEW_LOWEST = 0.25,
  -- From FEW_CALLS accepted calls on, though they are too few for a measure, their mean is the new rate, between these shares of the old
  -- one.
  MEAN_MOST = 0.9, MEAN_LOWEST = 0.5,
  -- The first refusal: doubling has overshot the limit by a hidden burst. The new rate is the mean since the start, over at least
  -- START_RAN_S, between START_LOWEST_GUESS and START_LOWER of the old rate.
  START_RAN_S = 0.2, START_LOWER = 0.75, START_LOWEST_GUESS = 0.25,

  -- [ Refusals in a row ]

  -- Up to 20 blocks in a row double the wait. Only the first four lower the rate: a service that refuses everything says nothing about it.
  -- From the third refusal on, one call at a time tries the service.
  STRIKES_MOST = 20, STRIKES_LOWER = 4, STRIKES_BEFORE_PROBE = 2,
  -- The least wait after a refusal. A token bucket has a call again after one call's time; less than 20 ms is network noise.
  LEAST_WAIT = 20000,
  -- The wait after a refusal is up to half as long again, at random, so that processes refused together do not return together.
  JITTER = 0.5,
  -- The longest wait after refusals is this share of that in an outage: an attempt costs less if the service responds.
  REFUSAL_WAIT_SHARE = 0.5,

  -- [ Time ]

  -- After ten quiet minutes the learned rate begins to fade; it halves in each quiet hour.
  QUIET_AFTER = 600000000, QUIET_HALVES = 3600000000,
  -- If Redis' clock is behind the stored time by more than this, another server with another clock has taken over.
  CLOCK_BEHIND = 1000000,

  -- [ Circuit breakers ]

  -- A late report makes a call seem sent later than it was, by at most this time.
  BREAKER_TOLD_LATE = 250000,
}
