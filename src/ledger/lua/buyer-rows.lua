-- Lists the requests of buyers, in all portfolios of the account. Of a buyer with very many it lists a page, and where to continue.
-- @keys rows limits …buyers
-- Keys: rows and limits: the key prefixes of rows and of limit calls; buyers: each buyer's hash of requests.
-- @args most from
-- most: requests of one buyer at most, or slightly more; from: the cursor to continue at, 0 to begin.
-- Answers for each buyer { count, next cursor or "0", row, amount, state, line, import, replaced or "", state of its limit call or "", when a
-- cancelled row changed last or "", its problem or "", row, … }

local function tell(told, name, amount)
  local portfolio, key = string.match(name, '^(.*)/(.*)$')
  local row = redis.call('HMGET', rows .. portfolio .. ':' .. key, 'state', 'line', 'import', 'replaced', 'updated', 'problem')
  local limit = redis.call('HGET', limits .. key, 'state') or ''
  -- If the row is lost and only a results file told of its call (recover-call.lua), the call tells the row's state and line.
  if not row[1] and (limit == 'made' or limit == 'unknown') then
    row[1], row[2] = limit == 'made' and 'done' or 'held', redis.call('HGET', limits .. key, 'line')
  end
  if not row[1] then return end
  -- Only of a cancelled row somebody asks why.
  if row[1] ~= 'cancelled' then row[5], row[6] = '', '' end
  for _, value in ipairs({ name, amount, row[1], row[2] or '', row[3] or '', row[4] or '', limit, row[5] or '', row[6] or '' }) do
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
