-- The buyers of the account and their lists. Each script of this file begins with its name.

-- @script read-buyers
-- Reads the buyers that have these identifiers, and their records, all at one moment.
-- @keys versionKey identifiers buyers
-- Keys: versionKey: the version of all records of buyers; identifiers and buyers: the key prefixes of identifiers and of buyers.
-- @args digests
-- Digests of identifiers, 16 characters each, without separator; the first three characters name the bucket.
-- Answers { version, { index, buyers with that identifier, index, … }, { key, record, key, record, … } }: only identifiers with
-- buyers, by index from 0, and each buyer once, as written by write-buyers.
local pointing, records, isRead = {}, {}, {}
local place = 0
for bucket, rest in string.gmatch(digests, '(...)(.............)') do
  local holders = redis.call('HGET', identifiers .. bucket, rest)
  if holders then
    pointing[#pointing + 1], pointing[#pointing + 2] = place, holders
    for key in string.gmatch(holders, '[%w_-]+') do
      if not isRead[key] then
        isRead[key] = true
        records[#records + 1], records[#records + 2] = key, redis.call('GET', buyers .. key) or ''
      end
    end
  end
  place = place + 1
end
return { redis.call('GET', versionKey) or '0', pointing, records }

-- @script write-buyers
-- Writes the buyers of new lines, if their records are unchanged since they were read.
-- @keys versionKey identifiers buyers …mended
-- Keys: versionKey: the version of all records of buyers; identifiers and buyers: the key prefixes of identifiers and of buyers;
-- mended: for each buyer that gets another name the call for its company, the call for the limit of its only row, and that row.
-- @args version holders records likes
-- version: the version of the records that was read; holders: a line for each identifier, its digest of 16 characters and its buyers;
-- records: a line for each buyer, its key of 16 characters and its record; likes: pairs of keys of buyers that may be one, without
-- separator.
-- @brings-in
-- Answers 1, or 0 if another process wrote since or a call of a renamed buyer was sent: then nothing is written. Repeated after a lost
-- reply it answers 0; the caller then reads what it wrote.
-- @include archived
-- @include buyer-words
-- @include made-ids
if (redis.call('GET', versionKey) or '0') ~= version then return 0 end
for at = 1, #mended, 3 do
  for call = at, at + 1 do
    local state = redis.call('HGET', mended[call], 'state')
    if state == 'claimed' or state == 'unknown' or state == 'made' then return 0 end
  end
end
-- The row gets a new revision, so that a job with the buyer's old name sends nothing. The import brings the new request next.
for at = 3, #mended, 3 do
  if redis.call('EXISTS', mended[at]) == 1 and not isArchived(portfolioOfRow(mended[at])) then redis.call('HINCRBY', mended[at], 'rev', 1) end
end
for bucket, rest, told in string.gmatch(holders, '(...)(.............)([^\n]*)\n') do
  redis.call('HSET', identifiers .. bucket, rest, told)
end
for key, record in string.gmatch(records, '(................)([^\n]*)\n') do writeBuyer(buyers .. key, record) end
for one, other in string.gmatch(likes, '(................)(................)') do
  noteAlike(string.match(buyers, '^(.*):buyer:$'), one, other)
end
redis.call('INCR', versionKey)
return 1

-- @script compare-words
-- Compares the words of buyers with their records, and mends what differs.
-- @keys words begins
-- Keys: words: the search index of buyers' words; begins: the key prefix of buyers' records.
-- @args part …told
-- add: told are buyers; adds words that are missing. Answers how many.
-- remove: told is the end of a leaf's name; removes entries that no record has. Answers { how many, the end of the next leaf's name or nil
-- }.
-- @include buyer-words
local count = 0
if part == 'add' then
  for _, buyer in ipairs(told) do
    for word in pairs(wordsIn(redis.call('GET', begins .. buyer))) do
      if addWord(words, word, buyer) then count = count + 1 end
    end
  end
  return count
end
local next = redis.call('ZRANGE', words, '(' .. told[1], '+', 'BYLEX', 'LIMIT', 0, 1)[1]
for _, entry in ipairs(redis.call('ZRANGE', words .. ':' .. told[1], 0, -1)) do
  local word, buyer = string.match(entry, '^(.*) (.*)$')
  local isWord = word and leafOf(words, entry) == told[1] and wordsIn(redis.call('GET', begins .. buyer))[word]
  if not isWord then
    redis.call('ZREM', words .. ':' .. told[1], entry)
    count = count + 1
  end
end
if redis.call('EXISTS', words .. ':' .. told[1]) == 0 then redis.call('ZREM', words, told[1]) end
return { count, next }

-- @script mend-buyer-limits
-- Adds a missing limit to its buyer's list, if its row is still done and its call has the same id. Without an id, removes repeated
-- ids from the list and keeps the first of each. The script may run twice, and two checks may run it at once: a repeated id then stays
-- once.
-- @keys limits …made
-- Keys: limits: the buyer's list of limits; made: the row of the limit, and the call that made it.
-- @args id
-- The id of the limit, or "".
-- Answers the ids that were missing or repeated. A missing id is appended, since the order in which limits were granted is no longer known.
if id ~= '' then
  local row, call = redis.call('HMGET', made[1], 'state', 'limit'), redis.call('HMGET', made[2], 'state', 'id')
  if row[1] ~= 'done' or row[2] ~= id or call[1] ~= 'made' or call[2] ~= id then return {} end
  if redis.call('LPOS', limits, id) then return {} end
  redis.call('RPUSH', limits, id)
  return { id }
end
local seen, twice = {}, {}
for _, each in ipairs(redis.call('LRANGE', limits, 0, -1)) do
  seen[each] = (seen[each] or 0) + 1
  if seen[each] == 2 then twice[#twice + 1] = each end
end
for _, each in ipairs(twice) do redis.call('LREM', limits, 1 - seen[each], each) end
return twice
