-- Included where it counts how many sends of a call are in doubt: `open` of them left and were not answered. As long as
-- there is one, the call's outcome is unknown, whatever becomes of a repetition; `heard` and `lostAt` tell of the last, `notedAt` is when that was
-- written down.
-- `doubts` counts those that "resend" has made up for since `doubtAt`, and `againAt` is when it may do so again.
-- `others` is the id in an answer to somebody else's request: only a person's word lets that be sent again.
-- `answers` are the approvals of such words (approvals.lua).
-- @include tell
local function isInDoubt(call)
  return tonumber(redis.call('HGET', call, 'open') or 0) > 0
end

local function noteDoubt(call, heard, lostAt, now)
  redis.call('HINCRBY', call, 'open', 1)
  redis.call('HSETNX', call, 'doubtAt', now)
  redis.call('HSET', call, 'state', 'unknown', 'heard', heard, 'lostAt', lostAt, 'notedAt', now)
  local told = { is = 'unknown', kind = kindOfCall(call), sentMs = tonumber(lostAt), heard = shortened(heard) }
  tell(rowOfCall(call), now, cjson.encode(told))
  return redis.call('HINCRBY', call, 'doubts', 1)
end

local function takeBackDoubt(call)
  redis.call('HINCRBY', call, 'open', -1)
  redis.call('HINCRBY', call, 'doubts', -1)
end

local DOUBTS = { 'open', 'doubts', 'doubtAt', 'againAt', 'heard', 'lostAt', 'notedAt', 'others', 'answers' }
local function forgetDoubts(call)
  redis.call('HDEL', call, unpack(DOUBTS))
end

local function isUsedUp(call, most, withinMs, now)
  local known = redis.call('HMGET', call, 'doubts', 'doubtAt')
  return tonumber(known[1] or 0) > tonumber(most) or (known[2] and now - known[2] > tonumber(withinMs)) or false
end
