-- Keeps events, each content once, as long as all of them fit; and drops a few of those that are too old.
-- KEYS[1] the events by time   KEYS[2] their totals   KEYS[3] what the keys of events begin with   KEYS[4] and those of their index
-- ARGV[1] who keeps them, in this script alone: one that comes twice counts nothing twice   ARGV[2] bytes at the most
-- ARGV[3] for how many ms they are kept   ARGV[4…] of each: its name, how often it came, its size, what it takes, ids that are not
-- indexed, body, headers, ids, and the ids' digests of 6 bytes each
-- @brings-in
-- Answers of each: 1 kept, 2 known, 0 not taken, since it is full.
-- @include event-index
-- Ids of old events that go with one script, which is half a millisecond; the nightly check drops what is left.
local MOST_DROPPED = 128
local EACH = 9
local lately, totals, events, index = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local by, most = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local nowText = string.format('%.0f', now)

local before = string.format('(%.0f', now - ARGV[3])
local dropped = 0
for _, id in ipairs(redis.call('ZRANGE', lately, '-inf', before, 'BYSCORE', 'LIMIT', 0, (#ARGV - 3) / EACH + 2)) do
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
for at = 4, #ARGV, EACH do
  local id, times, takes, digests = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 3]), ARGV[at + 8]
  local seen = redis.call('HGET', events .. id, 'seen')
  if seen then
    countAgain(events .. id, seen, times)
    answer[#answer + 1] = 2
  elseif bytes + added + takes > most then
    full = full + times
    answer[#answer + 1] = 0
  else
    seen = table.concat({ nowText, nowText, times, ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], by }, ' ')
    redis.call('HSET', events .. id, 'body', ARGV[at + 5], 'headers', ARGV[at + 6], 'ids', ARGV[at + 7], 'seen', seen)
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
