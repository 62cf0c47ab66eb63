-- Compares what rows are searched by with the rows themselves, and puts in what lacks.
-- KEYS[1] the portfolio   KEYS[2] the key of a row, less its name
-- ARGV row key, digest of its request (SHA-1), the words that it is searched by, row key …
-- Answers { ids and numbers that these rows have, those of them that were put in, names that were put in, the keys of rows of which
-- something lacked, those of rows that have other words by now }
-- @include index-row
-- @include archived
local portfolio, begins = unpack(KEYS)
if isArchived(portfolio) then return { 0, 0, 0, {}, {} } end

local function hasId(digest, key, level)
  -- Three of four came when the portfolio had the size that it has, or almost.
  for each = level, 0, -1 do
    if redis.call('ZSCORE', bucketOf(portfolio, digest, each), packed(digest) .. key) then return true end
  end
  return false
end

local lacking, ids, addedIds, addedNames = {}, 0, 0, 0

local function compare(row, key, words)
  local place, level = placeOf(row), levelOf(portfolio) or 0
  takeWords(place, words)
  local before = addedIds + addedNames
  addedNames = addedNames + redis.call('ZADD', namesOf(portfolio), 0, nameEntry(words, key))
  for digest in pairs(place.ids) do
    ids = ids + 1
    if not hasId(digest, key, level) then
      addedIds = addedIds + redis.call('ZADD', bucketOf(portfolio, digest, level), 0, packed(digest) .. key)
    end
  end
  local column, kind = columnOf(portfolio, place)
  redis.call('SADD', portfolio .. ':columns', kind)
  local moved = redis.call('ZADD', column, 'CH', place.amount, key)
  if moved == 1 or addedIds + addedNames > before then lacking[#lacking + 1] = key end
end

local others = {}
for at = 1, #ARGV, 3 do
  local key, digest, words = unpack(ARGV, at, at + 2)
  local row = begins .. key
  local request = redis.call('HGET', row, 'request')
  if request and redis.sha1hex(request) == digest then
    compare(row, key, words)
  elseif request then
    others[#others + 1] = key
  end
end
return { ids, addedIds, addedNames, lacking, others }
