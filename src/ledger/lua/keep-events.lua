-- Keeps events, each content once, while they fit; and deletes a few expired ones.
-- @keys lately totals events index unread
-- Sorted set of events by time, hash of their totals, the beginnings of the keys of events and of their index, and the sorted set of events
-- that are to be read for decisions.
-- @args by most keepMs …told
-- by: unique to this call, so that a repetition counts nothing twice; most: bytes of all events; keepMs: lifetime of an event;
-- told: of each event its id, how often it came, its size, all its bytes, number of ids not indexed, body, headers, ids, the
-- ids' digests of 6 bytes each, and "1" where it is to be read.
-- @brings-in
-- Answers for each event: 1 kept, 2 known before, 0 rejected, since the space is full.
-- @include event-index
-- Ids of expired events deleted in one call, half a millisecond; the nightly check deletes the rest.
local MOST_DROPPED = 128
local EACH = 10
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local nowText = string.format('%.0f', now)

local before = string.format('(%.0f', now - keepMs)
local dropped = 0
for _, id in ipairs(redis.call('ZRANGE', lately, '-inf', before, 'BYSCORE', 'LIMIT', 0, #told / EACH + 2)) do
  if dropped < MOST_DROPPED then dropped = dropped + 1 + dropEvent(lately, totals, events, index, id) end
end

local function countAgain(key, seen, times)
  local first, _, count, size, takes, more, last = string.match(seen, SEEN)
  if last == by then return end
  local words = { first, nowText, string.format('%.0f', count + times), size, takes, more, by }
  redis.call('HSET', key, 'seen', table.concat(words, ' '))
end

local bytes = tonumber(redis.call('HGET', totals, 'bytes') or 0)
local kept, added, full, answer = 0, 0, 0, {}
for at = 1, #told, EACH do
  local id, times, takes, digests = told[at], told[at + 1], tonumber(told[at + 3]), told[at + 8]
  local seen = redis.call('HGET', events .. id, 'seen')
  if seen then
    countAgain(events .. id, seen, times)
    answer[#answer + 1] = 2
  elseif bytes + added + takes > tonumber(most) then
    full = full + times
    answer[#answer + 1] = 0
  else
    seen = table.concat({ nowText, nowText, times, told[at + 2], told[at + 3], told[at + 4], by }, ' ')
    redis.call('HSET', events .. id, 'body', told[at + 5], 'headers', told[at + 6], 'ids', told[at + 7], 'seen', seen)
    redis.call('ZADD', lately, nowText, id)
    for place = 1, #digests, 6 do
      local digest = string.sub(digests, place, place + 5)
      redis.call('ZADD', eventBucket(index, digest), 0, eventEntry(digest, now, id))
    end
    kept, added = kept + 1, added + takes
    answer[#answer + 1] = 1
  end
  -- In one script with the event, so that what was acknowledged is read, or found by whoever comes next.
  if told[at + 9] == '1' and answer[#answer] > 0 then redis.call('ZADD', unread, nowText, id) end
end
if kept > 0 then
  redis.call('HINCRBY', totals, 'events', kept)
  redis.call('HINCRBY', totals, 'bytes', added)
end
if full > 0 and redis.call('HGET', totals, 'fullBy') ~= by then
  redis.call('HINCRBY', totals, 'full', full)
  redis.call('HSET', totals, 'fullMs', nowText, 'fullBy', by)
end
return answer
