-- Writes down that a call was sent and nobody knows what became of it, and when it may be sent again, where it may.
-- KEYS[1] the call   ARGV[1] owner   ARGV[2] what was heard instead of an answer
-- ARGV[3] sends after an unknown answer at most   ARGV[4] ms for them   ARGV[5] first wait in ms   ARGV[6] longest wait in ms
-- ARGV[7] the id in an answer to somebody else's request, or "": no setting lets that be sent again
-- Answers { when it was sent, in ms, ms until it may be sent again or "" }, or {} when the claim is not this owner's (any more).
-- Repeated, or said of one that was taken for vanished already, it counts once: the call is claimed the first time only.
-- @include doubts
local call = redis.call('HMGET', KEYS[1], 'state', 'owner', 'at', 'againAt')
if call[2] ~= ARGV[1] or (call[1] ~= 'claimed' and call[1] ~= 'unknown') then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local againAt = tonumber(call[4] or now)
if call[1] == 'claimed' then
  local doubts = noteDoubt(KEYS[1], ARGV[2], call[3], now)
  againAt = now + math.min(ARGV[5] * 2 ^ (doubts - 1), tonumber(ARGV[6]))
end
redis.call('HSET', KEYS[1], 'heard', ARGV[2], 'againAt', againAt)
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'others', ARGV[7]) end
return { call[3], ARGV[7] ~= '' and '' or isUsedUp(KEYS[1], ARGV[3], ARGV[4], now) and '' or math.max(0, againAt - now) }
