-- Included where records of buyers are written, or their words read. The field `w` of a record has the words by which its buyer is found
-- (buyer-record.ts). Of each word the account has the entry "<word> <buyer>", in the order of texts. Sorted sets of at most 100 entries
-- keep them, the leaves, since Redis stores small sets in compact form: an entry takes a third of its room in one large set.
--   words          sorted set, by text: the first entry of each leaf but the lowest, as it was when the leaf was made
--   words:<entry>  a leaf; the lowest one is `words:`
local MOST_OF_LEAF = 100

local function wordsIn(record)
  local words = {}
  for word in string.gmatch(string.match(record or '', '"w":"([^"]*)"') or '', '%S+') do words[word] = true end
  return words
end

-- The end of the name of the leaf to which an entry belongs.
local function leafOf(words, entry)
  return redis.call('ZRANGE', words, '[' .. entry, '-', 'BYLEX', 'REV', 'LIMIT', '0', '1')[1] or ''
end

-- Moves the upper half of a leaf to one of its own. To copy all and cut both is quicker than to move entries.
local function splitLeaf(words, leaf)
  local first = redis.call('ZRANGE', leaf, MOST_OF_LEAF / 2, MOST_OF_LEAF / 2)[1]
  local upper = words .. ':' .. first
  redis.call('COPY', leaf, upper, 'REPLACE')
  redis.call('ZREMRANGEBYRANK', leaf, MOST_OF_LEAF / 2, -1)
  redis.call('ZREMRANGEBYRANK', upper, 0, MOST_OF_LEAF / 2 - 1)
  redis.call('ZADD', words, 0, first)
end

-- Adds the entry "<word> <buyer>" to the index of words. Answers whether it was missing.
local function addWord(words, word, buyer)
  local entry = word .. ' ' .. buyer
  local leaf = words .. ':' .. leafOf(words, entry)
  local added = redis.call('ZADD', leaf, '0', entry) == 1
  if added and redis.call('ZCARD', leaf) == MOST_OF_LEAF then splitLeaf(words, leaf) end
  return added
end

local function removeWord(words, word, buyer)
  local entry = word .. ' ' .. buyer
  local place = leafOf(words, entry)
  redis.call('ZREM', words .. ':' .. place, entry)
  if redis.call('EXISTS', words .. ':' .. place) == 0 then redis.call('ZREM', words, place) end
end

-- Writes a buyer's record, adds the index entries of its new words, and removes those of words that it no longer has.
local function writeBuyer(key, record)
  local root, buyer = string.match(key, '^(.*):buyer:(.*)$')
  local had, has = wordsIn(redis.call('GET', key)), wordsIn(record)
  redis.call('SET', key, record)
  for word in pairs(had) do
    if not has[word] then removeWord(root .. ':words', word, buyer) end
  end
  for word in pairs(has) do
    if not had[word] then addWord(root .. ':words', word, buyer) end
  end
end
