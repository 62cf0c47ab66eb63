-- Included where the search indexes are written or read. A portfolio has:
--   <portfolio>:names                sorted set, by text: "<name in search form>\0<row key>" of each row
--   <portfolio>:ids:<level>:<n>      sorted sets, by text: "<digest, 6 bytes><row key>" of each id and number of a row
--   <portfolio>:column:<size>:<n>:<status>  sorted sets, by requested limit: the rows within the n-th 1,024 lines that have this
--                                    status, and an amount of this size (number of digits before the point, and the first digit)
--   <portfolio>:changed              sorted set, by when the state or the words of a row changed last, in ms: row key
--   <portfolio>:columns              set of "<size> <status>" of all columns that have or had rows
--   <portfolio>:statuses             set of the statuses that have columns of their own; "*" has the rows of all others
-- Ids are spread over 4^level buckets, at the level that fitted the portfolio's size when they were added. So Redis stores each bucket in
-- compact form (some 60 entries) at any size, and a search looks at each level.
-- Search words are passed as "<digest> <digest> …\n<name>", with 12 hex digits a digest (index-words.ts).
local ROWS_OF_BUCKET = 16

local function namesOf(portfolio)
  return portfolio .. ':names'
end

-- The level for new entries. Answers nil for a portfolio that is not searched: without any name, it was imported with the index turned
-- off, or before there was an index.
local function levelOf(portfolio)
  local rows, level = redis.call('ZCARD', namesOf(portfolio)), 0
  if rows == 0 then return nil end
  while rows > ROWS_OF_BUCKET * 4 ^ level do level = level + 1 end
  return level
end

local function bucketOf(portfolio, digest, level)
  return string.format('%s:ids:%d:%d', portfolio, level, tonumber(string.sub(digest, 1, 6), 16) % 4 ^ level)
end

local function packed(digest)
  return struct.pack('>I3I3', tonumber(string.sub(digest, 1, 6), 16), tonumber(string.sub(digest, 7, 12), 16))
end

-- Adds an entry for an id. The function computes what bucketOf and packed answer in one go, since each row needs it.
local function addId(portfolio, digest, key, level)
  local high, low = tonumber(string.sub(digest, 1, 6), 16), tonumber(string.sub(digest, 7, 12), 16)
  local bucket = string.format('%s:ids:%d:%d', portfolio, level, high % 4 ^ level)
  redis.call('ZADD', bucket, '0', struct.pack('>I3I3', high, low) .. key)
end

local function removeId(portfolio, digest, key, level)
  for each = 0, level do redis.call('ZREM', bucketOf(portfolio, digest, each), packed(digest) .. key) end
end

local function digestOfId(id)
  return string.sub(redis.sha1hex(string.lower(id)), 1, 12)
end

local function nameEntry(words, key)
  local at = string.find(words, '\n', 1, true)
  return (at and string.sub(words, at + 1) or '') .. '\0' .. key
end
