-- Stops all permits for a while: the service asked for it, was sent too many calls, does not respond, or refuses the credentials.
-- KEYS[1] the pace, see pace-state.lua
-- ARGV name, value, …:
--   askedUs      a wait that is asked for, or 0
--   isLimit      1 if calls came too fast: the rate is lowered
--   mayBeLimit   1 if a rate limiter may have responded: it counts as a limit if a call was accepted since the last block
--   firstWaitUs, longestWaitUs   the waits without askedUs
--   why, because   the reason as text for people, and in one word (pace-words.ts)
--   episode      of the call's permit: fifty workers that meet one limit count once
--   accepted     calls since this process's last request; firstRate: the initial rate
--   limit        calls of a window, if the refusal states that none is left, or -1; jitter: 0 to 1
-- Answers, name after name: waitUs (until permits are handed out again), isFirst (1 if this call opened the episode)
-- @include arguments
-- @include pace-state
-- @include raise-rate
-- @include lower-rate
-- @include hear-headers
local pace = readState(number('firstRate'))
countAccepted(pace, number('accepted'))
local isFirst = number('episode') >= pace.episode
local mayBeLimit = args.mayBeLimit == '1'
local isLimit = args.isLimit == '1' or mayBeLimit and pace.strikes == 0 and pace.accepted > 0
-- A refusal disproves the number of calls that, by the headers, were left in the window.
if isLimit then pace.throttled, pace.spareUntil = pace.throttled + 1, 0 end
local wait, longest = number('askedUs'), number('longestWaitUs')
if isFirst then
  -- If no call was accepted since the last block, that block's wait was too short, so the wait doubles.
  pace.strikes = math.min(pace.strikes + 1, N.STRIKES_MOST)
  pace.episode = pace.episode + 1
  local guess = number('firstWaitUs')
  if isLimit then
    if pace.strikes <= N.STRIKES_LOWER then lower(pace, 0, wait) end
    if wait > 0 and number('limit') > 0 then hearRefusal(pace, number('limit'), wait) end
    guess = math.max(1000000 / pace.rate, N.LEAST_WAIT) * (1 + N.JITTER * number('jitter'))
    longest = math.max(N.REFUSAL_WAIT_SHARE * longest, guess)
  end
  if wait == 0 then wait = math.min(guess * 2 ^ (pace.strikes - 1), longest) end
  pace.trial = (not isLimit or pace.strikes > N.STRIKES_BEFORE_PROBE) and 1 or 0
end
-- During an outage the rate cannot be measured, so the marks, from which it is measured, are dropped.
if not isLimit and not mayBeLimit then pace.marks = '' end
if now + wait > pace['until'] then
  pace['until'], pace.why, pace.because = now + wait, args.why, args.because
end
if wait > 0 and pace['until'] > now then pace.heldAt = math.max(pace.heldAt, pace['until']) end
writeState(pace)
return { 'waitUs', math.max(0, math.ceil(pace['until'] - now)), 'isFirst', isFirst and 1 or 0 }
