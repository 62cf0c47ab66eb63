-- Takes rows of a portfolio that is being forgotten out, and notes first which documents in the data folder they named.
-- @keys files …found
-- The digests of files that the portfolio named; rows, and their stories.
-- Answers how many rows it took out. Heard twice it finds none.
local rows = 0
for _, key in ipairs(found) do
  if string.sub(key, -6) ~= ':story' then
    local request = redis.call('HGET', key, 'request')
    for digest in string.gmatch(request or '', '"sha256":"(%x+)"') do redis.call('SADD', files, digest) end
    if request then rows = rows + 1 end
  end
  redis.call('UNLINK', key)
end
return rows
