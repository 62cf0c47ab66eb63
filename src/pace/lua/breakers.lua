-- What tells the breakers how calls ended. Each script of this file begins with its name.

-- @script unknown-answer
-- Reports a call's unknown outcome. Several in a row, of one kind and of all processes, trip that kind's breaker.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] kind   ARGV[2] why, for people   ARGV[3] a name of this report   ARGV[4] lease, if the call was a probe, or ""
-- ARGV[5] unknown outcomes in a row that trip the breaker   ARGV[6] µs before the first probe   ARGV[7] longest time before a probe, in µs
-- ARGV[8] µs: if a breaker trips again so soon after a reset, the reset was too early
-- Answers as in breaker-state.lua. Repeated, it counts once.
-- @include breaker-state
local kind, why, longest = ARGV[1], ARGV[2], tonumber(ARGV[7])
local wait = numbers.wait or 0
if breaker['told:' .. kind] == ARGV[3] then return answer('') end
if breaker['shut:' .. kind] then
  -- Calls in flight when the breaker tripped say nothing new.
  if ARGV[4] == '' or ARGV[4] ~= leased then return answer('') end
  wait = math.min(2 * wait, longest)
  set('shut:' .. kind, why, 'told:' .. kind, ARGV[3], 'wait', wait, 'dueAt', now + wait)
  forget('lease', 'leaseUntil')
  return answer('')
end
local row = (numbers['row:' .. kind] or 0) + 1
set('row:' .. kind, row, 'rowAt:' .. kind, now, 'told:' .. kind, ARGV[3])
if row < tonumber(ARGV[5]) then return answer('') end
local others = false
for _, other in ipairs(KINDS) do others = others or breaker['shut:' .. other] ~= nil end
if not others then
  local relapse = numbers.openedAt and now - numbers.openedAt < math.max(tonumber(ARGV[8]), wait)
  wait = relapse and math.min(2 * wait, longest) or tonumber(ARGV[6])
  set('wait', wait, 'dueAt', now + wait)
end
set('shut:' .. kind, why)
return answer('')

-- @script known-answers
-- Reports calls with a known outcome, made or refused, which end a row of unknown ones. A probe among them resets its breaker, and the
-- other tripped breakers may be probed at once.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] lease of the answered probe, or ""   ARGV[2] its kind
-- ARGV[3…] four values for each kind: the kind; µs since its latest response; token of the latest call that made something, or ""; µs since
--   that call was sent
-- Answers as in breaker-state.lua. Repeated, it changes nothing more.
-- @include breaker-state
for at = 3, #ARGV - 3, 4 do
  local kind, token = ARGV[at], ARGV[at + 2]
  local rowAt = numbers['rowAt:' .. kind]
  -- A known outcome may be reported after an unknown one that came later.
  if rowAt and not breaker['shut:' .. kind] and (now - ARGV[at + 1] > rowAt or rowAt > now) then
    forget('row:' .. kind, 'rowAt:' .. kind)
  end
  local sentAt = now - tonumber(ARGV[at + 3])
  local before = tonumber(string.match(breaker['good:' .. kind] or '', ' (%d+)$') or 0)
  if token ~= '' and (sentAt > before or before > now) then
    set('good:' .. kind, token .. ' ' .. string.format('%.0f', sentAt))
    if (numbers['blamedAt:' .. kind] or now) < sentAt then forget('blamed:' .. kind, 'blamedAt:' .. kind) end
  end
end
if ARGV[1] ~= '' and ARGV[1] == leased then
  local kind = ARGV[2]
  forget('shut:' .. kind, 'row:' .. kind, 'rowAt:' .. kind, 'lease', 'leaseUntil')
  set('openedAt', now, 'dueAt', now)
end
return answer('')

-- @script blame
-- Decides why a call got a 401 with a new token: because of the call itself, or of the credentials, which every call would meet.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] kind   ARGV[2] key of the call   ARGV[3] the token   ARGV[4] µs since this call was first sent with it
-- ARGV[5] µs since it was first sent and got a 401, with any token
-- ARGV[6] how often it has asked, with growing waits   ARGV[7] after so many requests, silence of all others decides
-- ARGV[8] 1 if other rows are at calls of this kind or may come to one, else 0
-- ARGV[9] 1 to only check for the proof: nothing is written, and the answer is "row" or "wait"
-- Answers "row" | "everybody" | "wait" (ask again later, after another attempt) | "aside" (the same, and let other calls go first). "row"
-- needs a proof: a call that was sent later with the same token made something. "everybody" needs that nothing was made since, or that no
-- other row is left to show it.
-- @include breaker-state
local kind, asked, most = ARGV[1], tonumber(ARGV[6]), tonumber(ARGV[7])
local token, sentAt = string.match(breaker['good:' .. kind] or '', '^(%S+) (%d+)$')
-- If no call of this kind ever made anything, one more attempt uses the newest token.
if not token then return ARGV[9] ~= '1' and asked > 1 and 'everybody' or 'wait' end
sentAt = tonumber(sentAt) - N.BREAKER_TOLD_LATE
local isProved = token == ARGV[3] and sentAt > now - ARGV[4]
if ARGV[9] == '1' then return isProved and 'row' or 'wait' end
if asked > 1 and isProved then return 'row' end
local blamed = breaker['blamed:' .. kind]
if blamed and blamed ~= ARGV[2] then blamed = '*' end
set('blamed:' .. kind, blamed or ARGV[2], 'blamedAt:' .. kind, now)
if blamed == '*' then return asked > 2 and sentAt < now - ARGV[5] and 'everybody' or 'wait' end
if asked < most then return 'wait' end
return ARGV[8] == '1' and 'aside' or 'everybody'
