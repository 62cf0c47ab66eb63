-- Writes down what is wrong with lines of an import, or that nothing is. Counts are the sizes of the hashes.
-- KEYS[1] the portfolio   KEYS[2] its invalid lines   KEYS[3] its duplicate lines
-- ARGV[1] content: the file and how it is read   ARGV[2…] line, kind ("invalid", "duplicate" or "sound"), problem …
-- Answers 1, or 0 when another file's lines are shown by now: then these are not kept.
if redis.call('HGET', KEYS[1], 'content') ~= ARGV[1] then return 0 end
for place, kind in ipairs({ 'invalid', 'duplicate' }) do
  local key = KEYS[place + 1]
  local wrong, others = {}, {}
  for word = 2, #ARGV, 3 do
    if ARGV[word + 1] == kind then
      wrong[#wrong + 1] = ARGV[word]
      wrong[#wrong + 1] = ARGV[word + 2]
    else
      others[#others + 1] = ARGV[word]
    end
  end
  if #others > 0 then redis.call('HDEL', key, unpack(others)) end
  if #wrong > 0 then redis.call('HSET', key, unpack(wrong)) end
end
return 1
