-- Lists the requests of buyers, in any portfolio of the account. Of a buyer who has very many only some are told.
-- KEYS[1] what the keys of rows begin with, less portfolio and key   KEYS[2] what the keys of limit calls begin with
-- KEYS[3…] the buyers' requests   ARGV[1] requests of one buyer at the most, or some more
-- Answers for each buyer { how many, row, amount, state, line, import, replaced or "", state of its limit call or "", row, … }
local answer = {}
for at = 3, #KEYS do
  local count = redis.call('HLEN', KEYS[at])
  local told = { count }
  local isFew = count <= tonumber(ARGV[1])
  local found = isFew and redis.call('HGETALL', KEYS[at]) or redis.call('HSCAN', KEYS[at], 0, 'COUNT', ARGV[1])[2]
  for place = 1, #found, 2 do
    local portfolio, key = string.match(found[place], '^(.*)/(.*)$')
    local row = redis.call('HMGET', KEYS[1] .. portfolio .. ':' .. key, 'state', 'line', 'import', 'replaced')
    local limit = redis.call('HGET', KEYS[2] .. key, 'state') or ''
    -- Known from a results file, and its own file was not imported since.
    if not row[1] and (limit == 'made' or limit == 'unknown') then
      row[1], row[2] = limit == 'made' and 'done' or 'held', redis.call('HGET', KEYS[2] .. key, 'line')
    end
    if row[1] then
      for _, word in ipairs({ found[place], found[place + 1], row[1] or '', row[2] or '', row[3] or '', row[4] or '', limit }) do
        told[#told + 1] = word
      end
    end
  end
  answer[#answer + 1] = told
end
return answer
