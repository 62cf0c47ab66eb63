-- Says whose fault it is that a call was answered 401 with a new token: that call's own, or the credentials', which every
-- call would meet.
-- KEYS[1] the doors, see door-state.lua
-- ARGV[1] kind   ARGV[2] key of the call   ARGV[3] the token   ARGV[4] µs since this call was first sent with it
-- ARGV[5] µs since it was first sent and answered 401, with whichever token
-- ARGV[6] how often it has asked, in ever longer waits   ARGV[7] askings from which on silence of all others tells
-- ARGV[8] 1 where others are at calls of this kind or may come to one, else 0
-- Answers "row" | "everybody" | "wait": ask again after a while, and after another try | "aside": the same, and let others call.
-- "row" is proved where a call sent later, with the same token, made something. Where nobody else is left to call, it is
-- believed of one call for each that made something: so of credentials that were withdrawn the very last row may suffer.
-- "everybody" is said only where nothing was made since.
-- Sent twice it may ask for a proof that it has used up, and answers "everybody": then it begins anew.
-- @include door-state
local kind, asked, most = ARGV[1], tonumber(ARGV[6]), tonumber(ARGV[7])
local token, sentAt = string.match(door['good:' .. kind] or '', '^(%S+) (%d+)$')
if not token then return 'everybody' end
sentAt = tonumber(sentAt) - N.DOOR_TOLD_LATE
if asked > 1 and token == ARGV[3] and sentAt > now - ARGV[4] then return 'row' end
local blamed = door['blamed:' .. kind]
if blamed and blamed ~= ARGV[2] then blamed = '*' end
set('blamed:' .. kind, blamed or ARGV[2], 'blamedAt:' .. kind, now)
if blamed == '*' then return asked > 2 and sentAt < now - ARGV[5] and 'everybody' or 'wait' end
if asked < most then return 'wait' end
if ARGV[8] == '1' then return 'aside' end
forget('good:' .. kind)
return 'row'
