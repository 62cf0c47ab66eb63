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
