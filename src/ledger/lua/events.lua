-- Events of the service. Each script of this file begins with its name.

-- @script keep-events
-- Keeps events, each content once, while they fit; and deletes a few expired ones.
-- @keys lately totals events index unread
-- Keys: lately: sorted set of events by time; totals: hash of their totals; events and index: the key prefixes of events and of
-- their index; unread: sorted set of the events that are to be read for decisions.
-- @args by most keepMs …told
-- by: unique to this call, so that a repetition counts nothing twice; most: bytes of all events; keepMs: lifetime of an event;
-- told: of each event its id, how often it came, its size, all its bytes, number of ids not indexed, body, headers, ids, the
-- ids' digests of 6 bytes each, and "1" where it is to be read.
-- @brings-in
-- Answers for each event: 1 kept, 2 known before, 0 rejected, since the space is full.
-- @include #event-index
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
  -- The event is listed as unread in the same script that keeps it. So each acknowledged event is read for decisions, even if this process
  -- ends.
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

-- @script drop-events
-- Deletes events and their index entries.
-- @keys lately totals events index
-- Keys: lately: sorted set of events by time; totals: hash of their totals; events and index: the key prefixes of events and of
-- their index.
-- @args …ids
-- Ids of events, which may be deleted already.
-- Answers how many existed.
-- @include #event-index
local dropped = 0
for _, id in ipairs(ids) do
  dropped = dropped + redis.call('EXISTS', events .. id)
  dropEvent(lately, totals, events, index, id)
end
return dropped

-- @script read-events
-- Notes what became of events that were read for decisions, and hands out the next ones for `leaseMs`. If a process ends before it has read
-- them, another process gets them after that time.
-- @keys unread events
-- Keys: unread: sorted set of events by when they are to be read for decisions; events: the key prefix of events.
-- @args count leaseMs …done
-- done: of each event that was read its id, what became of it as JSON, and in how many ms it is to be read again ("" for never).
-- Answers up to `count` ids.
-- A decision that an earlier reading took stays counted as taken, though a later reading finds it known already, or older than a later one.
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

-- @script event-index
-- The index by which events are found by the ids that they contain. Scripts that keep or delete events include this file.
--   <index><n>   sorted sets, by text: "<digest of the id, 6 bytes><ms of its first arrival, 6 bytes><event>", so the events of one id are
--                in the order of arrival. 16,384 buckets, which Redis stores in compact form up to one or two million entries
-- An event is a hash: body, headers as JSON, ids (those in the index, with spaces between), and
--   seen         "<first ms> <last ms> <times> <bytes of the body> <bytes of all> <ids not indexed> <process that kept it last>"
-- @include index-entries
local SEEN = '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$'

local function eventBucket(index, digest)
  local high, low = string.byte(digest, 1, 2)
  return index .. string.format('%d', math.floor((high * 256 + low) / 4))
end

local function eventEntry(digest, firstMs, id)
  return digest .. struct.pack('>I6', firstMs) .. id
end

-- Deletes an event and its index entries. Answers how many ids it had.
local function dropEvent(lately, totals, events, index, id)
  local found = redis.call('HMGET', events .. id, 'seen', 'ids')
  redis.call('ZREM', lately, id)
  if not found[1] then return 0 end
  local first, _, _, _, takes = string.match(found[1], SEEN)
  local ids = 0
  for one in string.gmatch(found[2] or '', '%S+') do
    local digest = packed(digestOfId(one))
    redis.call('ZREM', eventBucket(index, digest), eventEntry(digest, tonumber(first), id))
    ids = ids + 1
  end
  redis.call('DEL', events .. id)
  redis.call('HINCRBY', totals, 'events', -1)
  redis.call('HINCRBY', totals, 'bytes', -tonumber(takes))
  return ids
end
