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
