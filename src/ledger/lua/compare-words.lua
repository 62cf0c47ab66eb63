-- Compares the words of buyers with their records, and mends what differs.
-- @keys words begins
-- The words, and what the keys of buyers begin with.
-- @args part …told
-- add: told are buyers; adds words that are missing. Answers how many.
-- remove: told is the end of a leaf's name; removes entries that no record has. Answers { how many, the end of the next leaf's name or nil }.
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
