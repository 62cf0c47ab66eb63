-- Included where sends in doubt are counted. `open`: sends that left and got no response. While there is one, the call's outcome is
-- unknown, whatever a repetition brings. `heard` and `lostAt`: reason and time of the last such send; `notedAt`: when it was written down.
-- `doubts`: unknown outcomes since `doubtAt`, which limit the repetitions by "resend"; `againAt`: when the next one is allowed.
-- `others`: the id in a response to another request; `late`: the owner of a send in doubt whose call was free by then. With one of them, only
-- a person may have the call sent again.
-- `answers`: approvals of people's answers to the call (approvals.lua).
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

local DOUBTS = { 'open', 'doubts', 'doubtAt', 'againAt', 'heard', 'lostAt', 'notedAt', 'others', 'late', 'answers' }
local function forgetDoubts(call)
  redis.call('HDEL', call, unpack(DOUBTS))
end

local function isUsedUp(call, most, withinMs, now)
  local known = redis.call('HMGET', call, 'doubts', 'doubtAt')
  return tonumber(known[1] or 0) > tonumber(most) or (known[2] and now - known[2] > tonumber(withinMs)) or false
end
