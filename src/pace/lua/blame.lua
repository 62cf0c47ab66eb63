-- Says whose fault it is that a call was answered 401 with a new token: that call's own, or the credentials', which every
-- call would meet.
-- KEYS[1] the breakers, see breaker-state.lua
-- ARGV[1] kind   ARGV[2] key of the call   ARGV[3] the token   ARGV[4] µs since this call was first sent with it
-- ARGV[5] µs since it was first sent and answered 401, with whichever token
-- ARGV[6] how often it has asked, in ever longer waits   ARGV[7] askings from which on silence of all others tells
-- ARGV[8] 1 where others are at calls of this kind or may come to one, else 0
-- ARGV[9] 1 where it is asked only whether the proof is there: then nothing is written, and "row" or "wait" is answered
-- Answers "row" | "everybody" | "wait": ask again after a while, and after another try | "aside": the same, and let others call.
-- "row" is said only where it is proved: a call that was sent later, with the same token, made something. "everybody" is said only where
-- nothing was made since, or nobody else is left to show anything.
-- @include breaker-state
local kind, asked, most = ARGV[1], tonumber(ARGV[6]), tonumber(ARGV[7])
local token, sentAt = string.match(breaker['good:' .. kind] or '', '^(%S+) (%d+)$')
-- Where nothing was ever made: one more try, with a token that is as new as can be.
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
