-- Searches by an index. Each script of this file begins with its name.

-- @script find-buyers
-- Finds words that begin with a text, and their buyers.
-- @keys words
-- @args begins after most
-- begins: the text; after: the last entry of the page before, or ""; most: entries at most
-- Answers entries "<word> <buyer>", in the order of texts.
-- @include buyer-words
local from, upTo = after ~= '' and '(' .. after or '[' .. begins, '(' .. begins .. '\255'
local leaf, found = leafOf(words, after ~= '' and after or begins), {}
while leaf and #found < tonumber(most) do
  for _, entry in ipairs(redis.call('ZRANGE', words .. ':' .. leaf, from, upTo, 'BYLEX', 'LIMIT', 0, most - #found)) do
    found[#found + 1] = entry
  end
  leaf = redis.call('ZRANGE', words, '(' .. leaf, upTo, 'BYLEX', 'LIMIT', 0, 1)[1]
end
return found

-- @script find-ids
-- Finds the rows of a portfolio that have one of these ids or numbers.
-- @keys portfolio
-- @args most …digests
-- most: rows at most for each digest and level of the index; digests: of ids or numbers, 12 hex digits each.
-- Answers row keys, each once.
-- @include index-entries
local answer, isKnown = {}, {}
for _, digest in ipairs(digests) do
  local from = packed(digest)
  for level = 0, levelOf(portfolio) or 0 do
    local bucket = bucketOf(portfolio, digest, level)
    for _, entry in ipairs(redis.call('ZRANGE', bucket, '[' .. from, '(' .. from .. '\127', 'BYLEX', 'LIMIT', 0, most)) do
      local key = string.sub(entry, 7)
      if not isKnown[key] then
        isKnown[key] = true
        answer[#answer + 1] = key
      end
    end
  end
end
return answer

-- @script find-requests
-- Finds the rows of some requests in the newest portfolios.
-- @keys portfolios rows
-- Keys: portfolios: all portfolios of the account; rows: the key prefix of rows.
-- @args most …requests
-- most: portfolios at most; requests: keys of rows.
-- Answers "<portfolio>/<row key>" of each.
local found = {}
for _, name in ipairs(redis.call('ZREVRANGE', portfolios, 0, most - 1)) do
  for _, request in ipairs(requests) do
    if redis.call('EXISTS', rows .. name .. ':' .. request) == 1 then found[#found + 1] = name .. '/' .. request end
  end
end
return found

-- @script find-limits
-- Reads limits by their ids: what their calls say, and what is known of the rows for which they were made.
-- @keys account
-- @args …items
-- For each limit its id, and the key of the request whose limit is meant, "" for that which made the id first
-- Answers for each { the key of its request; row, at, record, by and decided of its call; request and import of that row; shared of its
-- call }, or 0 if no call of the account made it.
-- @include portfolio-of
-- @include made-ids
-- @include tell
local function find(id, key)
  local isOwn = key ~= '' and redis.call('HGET', ROOT .. ':call:limit:' .. key, 'id') == id
  if not isOwn then key = redis.call('HGET', (madeIdsOf(ROOT .. ':call:limit:', id)), id) end
  if not key then return 0 end
  local call = ROOT .. ':call:limit:' .. key
  local said = redis.call('HMGET', call, 'row', 'at', 'record', 'by', 'decided', 'shared')
  local row = rowNamed(said[1] or '', call)
  local of = row == '' and {} or redis.call('HMGET', row, 'request', 'import')
  return { key, said[1], said[2], said[3], said[4], said[5], of[1] or '', of[2] or '', said[6] or '' }
end

local answers = {}
for at = 1, #items, 2 do
  local isFound, answer = pcall(find, items[at], items[at + 1])
  answers[#answers + 1] = isFound and answer or faultOf(answer)
end
return answers

-- @script answered-lately
-- The rows that the service answered lately, the latest first.
-- @keys account lately
-- @args most
-- @only-reads
-- Answers JSON, since thousands of replies take long to read: [row, when in ms, its tally, its import, …]. Tally and import are false for a
-- row that is in the archive of its portfolio.
local root = string.sub(account, 1, -#':account' - 1)
local found, answers = redis.call('ZRANGE', lately, 0, most - 1, 'REV', 'WITHSCORES'), {}
for at = 1, #found, 2 do
  local portfolio, key = string.match(found[at], '^(.*)/(.*)$')
  local row = key and redis.call('HMGET', root .. ':row:' .. portfolio .. ':' .. key, 'tally', 'import') or { false, false }
  answers[2 * at - 1], answers[2 * at], answers[2 * at + 1], answers[2 * at + 2] = found[at], tonumber(found[at + 1]), row[1], row[2]
end
return #answers == 0 and '[]' or cjson.encode(answers)
