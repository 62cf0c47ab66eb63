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
