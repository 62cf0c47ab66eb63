-- Lists the requests of buyers, in any portfolio of the account. Of a buyer who has very many some are told, and where to go on.
-- @keys rows limits …buyers
-- What the keys of rows begin with, less portfolio and key; what the keys of limit calls begin with; the buyers' requests.
-- @args most from
-- most: requests of one buyer at the most, or some more; from: where to go on, 0 to begin.
-- Answers for each buyer { how many, where to go on or "0", row, amount, state, line, import, replaced or "", state of its limit call or "", row, … }

local function tell(told, name, amount)
  local portfolio, key = string.match(name, '^(.*)/(.*)$')
  local row = redis.call('HMGET', rows .. portfolio .. ':' .. key, 'state', 'line', 'import', 'replaced')
  local limit = redis.call('HGET', limits .. key, 'state') or ''
  -- Known from a results file, and its own file was not imported since.
  if not row[1] and (limit == 'made' or limit == 'unknown') then
    row[1], row[2] = limit == 'made' and 'done' or 'held', redis.call('HGET', limits .. key, 'line')
  end
  if not row[1] then return end
  for _, value in ipairs({ name, amount, row[1], row[2] or '', row[3] or '', row[4] or '', limit }) do
    told[#told + 1] = value
  end
end

local answer = {}
for _, requests in ipairs(buyers) do
  local count = redis.call('HLEN', requests)
  local isFew = count <= tonumber(most)
  local next, found = '0', {}
  if isFew then
    found = redis.call('HGETALL', requests)
  else
    next, found = unpack(redis.call('HSCAN', requests, from, 'COUNT', most))
  end
  local told = { count, next }
  for place = 1, #found, 2 do tell(told, found[place], found[place + 1]) end
  answer[#answer + 1] = told
end
return answer
