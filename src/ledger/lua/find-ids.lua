-- Finds the rows of a portfolio that have one of these ids or numbers.
-- KEYS[1] the portfolio   ARGV[1] rows of one level at the most   ARGV[2…] digests, of 12 hex digits each
-- Answers row keys, each once.
-- @include index-entries
local portfolio, most = KEYS[1], ARGV[1]
local answer, isKnown = {}, {}
for at = 2, #ARGV do
  local from = packed(ARGV[at])
  for level = 0, levelOf(portfolio) or 0 do
    local bucket = bucketOf(portfolio, ARGV[at], level)
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
