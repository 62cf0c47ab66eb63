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
