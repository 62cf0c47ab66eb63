-- Writes down what is wrong with lines of an import, or that nothing is, behind the key of the line's request. Counts are
-- the sizes of the hashes.
-- KEYS[1] the portfolio   KEYS[2] its invalid lines   KEYS[3] its duplicate lines   KEYS[4] its rows whose line is invalid
-- KEYS[5] what the keys of its rows begin with
-- ARGV[1] content: the file and how it is read
-- ARGV[2…] line, kind ("invalid", "duplicate" or "sound"), problem, the key of its request or "", its buyer or "" …
-- Answers 1, or 0 when another file's lines are shown by now: then these are not kept.
if redis.call('HGET', KEYS[1], 'content') ~= ARGV[1] then return 0 end
for place, kind in ipairs({ 'invalid', 'duplicate' }) do
  local key = KEYS[place + 1]
  local wrong, others = {}, {}
  for word = 2, #ARGV, 5 do
    if ARGV[word + 1] == kind then
      wrong[#wrong + 1] = ARGV[word]
      wrong[#wrong + 1] = ARGV[word + 3] .. ' ' .. ARGV[word + 2]
    else
      others[#others + 1] = ARGV[word]
    end
  end
  if #others > 0 then redis.call('HDEL', key, unpack(others)) end
  if #wrong > 0 then redis.call('HSET', key, unpack(wrong)) end
end

-- An invalid line whose request has a row already counts as that row, unless another line of this import does, or the
-- row is another buyer's: shown with the line, what that buyer was granted would stand beside the wrong name.
local import = redis.call('HGET', KEYS[1], 'importNumber')
local function isKept(line, key, buyer)
  local row = redis.call('HMGET', KEYS[5] .. key, 'line', 'import', 'request')
  if not row[1] or (row[2] == import and row[1] ~= line) then return false end
  return buyer == '' or not row[3] or cjson.decode(row[3]).buyer == buyer
end
for word = 2, #ARGV, 5 do
  local line, key = ARGV[word], ARGV[word + 3]
  if key ~= '' then
    if ARGV[word + 1] == 'invalid' and isKept(line, key, ARGV[word + 4]) then
      redis.call('HSET', KEYS[4], key, line)
    elseif redis.call('HGET', KEYS[4], key) == line then
      redis.call('HDEL', KEYS[4], key)
    end
  end
end
return 1
