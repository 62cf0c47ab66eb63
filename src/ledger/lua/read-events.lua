-- Takes note of events that were read for decisions, and hands out the next ones, for a while: where a process ends before it has read them,
-- another one gets them after that.
-- @keys unread events
-- Sorted set of events by when they are to be read, and the beginning of the keys of events.
-- @args count leaseMs …done
-- done: of each event that was read its id, what became of it as JSON, and in how many ms it is to be read again ("" for never).
-- Answers up to `count` ids.
-- What was taken from an event once stays so, though a later reading finds it known, or older than what came since.
local NO_NEWS = { 'same', 'older', 'contradicts' }

local function withTaken(became, before)
  local now, known = cjson.decode(became), cjson.decode(before or '{}')
  local taken = now.taken or 0
  for _, name in ipairs(NO_NEWS) do
    local count = math.min(now[name] or 0, (known.taken or 0) - taken)
    if count > 0 then
      taken, now[name] = taken + count, now[name] > count and now[name] - count or nil
      now.taken = taken
    end
  end
  return next(now) and cjson.encode(now) or '{}'
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

for at = 1, #done, 3 do
  local id, againMs = done[at], done[at + 2]
  local isKept = redis.call('EXISTS', events .. id) == 1
  local before = redis.call('HGET', events .. id, 'became')
  if isKept then redis.call('HSET', events .. id, 'became', withTaken(done[at + 1], before or nil)) end
  if isKept and againMs ~= '' then
    redis.call('ZADD', unread, string.format('%.0f', now + againMs), id)
  else
    redis.call('ZREM', unread, id)
  end
end

local next = redis.call('ZRANGE', unread, '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, count)
for _, id in ipairs(next) do redis.call('ZADD', unread, string.format('%.0f', now + leaseMs), id) end
return next
