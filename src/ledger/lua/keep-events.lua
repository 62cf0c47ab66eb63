-- Keeps events, each content once, as long as all of them fit; and drops a few of those that are too old.
-- @keys lately totals events index
-- Sorted set of events by time, hash of their totals, and the prefixes of the keys of events and of their index.
-- @args by most keepMs …told
-- by: who keeps them, in this script alone: one that comes twice counts nothing twice; most: bytes; keepMs: for so long they are kept;
-- told: of each its name, how often it came, its size, what it takes, ids that are not indexed, body, headers, ids, and the ids' digests
-- of 6 bytes each.
-- @brings-in
-- Answers of each: 1 kept, 2 known, 0 not taken, since it is full.
-- @include event-index
-- Ids of old events that go with one script, which is half a millisecond; the nightly check drops what is left.
local MOST_DROPPED = 128
local EACH = 9
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
