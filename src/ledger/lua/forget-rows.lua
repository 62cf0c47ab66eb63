-- Takes rows of a portfolio that is being forgotten out, and notes first which documents in the data folder they named.
-- KEYS[1] the digests of files that the portfolio named   KEYS[2…] rows, and their stories
-- Answers how many rows it took out. Heard twice it finds none.
local files, rows = KEYS[1], 0
for at = 2, #KEYS do
  local key = KEYS[at]
  if string.sub(key, -6) ~= ':story' then
    local request = redis.call('HGET', key, 'request')
    for digest in string.gmatch(request or '', '"sha256":"(%x+)"') do redis.call('SADD', files, digest) end
    if request then rows = rows + 1 end
  end
  redis.call('UNLINK', key)
end
return rows
