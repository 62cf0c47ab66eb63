-- Included where events are kept or dropped. By an id that stands in them, events are found in
--   <index><n>   sorted sets, by text: "<digest of the id, 6 bytes><ms of its first time, 6 bytes><event>", so those of one id are
--                in the order of their times; spread over 16,384 buckets, which Redis keeps without pointers while there are a
--                million of them or two
-- An event is a hash: body, headers as JSON, ids (those that it is found by, with spaces between them), and
--   seen         "<first ms> <last ms> <times> <bytes of the body> <bytes that all of it takes> <ids not indexed> <who kept it last>"
-- @include index-entries
local SEEN = '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$'

local function eventBucket(index, digest)
  local high, low = string.byte(digest, 1, 2)
  return index .. string.format('%d', math.floor((high * 256 + low) / 4))
end

local function eventEntry(digest, firstMs, id)
  return digest .. struct.pack('>I6', firstMs) .. id
end

-- Drops an event, with all that it is found by. Answers how many ids that were.
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
