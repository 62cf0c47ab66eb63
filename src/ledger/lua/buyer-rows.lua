-- Lists the requests of buyers, in any portfolio of the account. Of a buyer who has very many some are told, and where to go on.
-- KEYS[1] what the keys of rows begin with, less portfolio and key   KEYS[2] what the keys of limit calls begin with
-- KEYS[3…] the buyers' requests   ARGV[1] requests of one buyer at the most, or some more   ARGV[2] where to go on; 0 to begin
-- Answers for each buyer { how many, where to go on or "0", row, amount, state, line, import, replaced or "", state of its limit call or "", row, … }
local rows, limits = KEYS[1], KEYS[2]
local most = tonumber(ARGV[1])

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
for at = 3, #KEYS do
  local count = redis.call('HLEN', KEYS[at])
  local isFew = count <= most
  local next, found = '0', {}
  if isFew then
    found = redis.call('HGETALL', KEYS[at])
  else
    next, found = unpack(redis.call('HSCAN', KEYS[at], ARGV[2], 'COUNT', most))
  end
  local told = { count, next }
  for place = 1, #found, 2 do tell(told, found[place], found[place + 1]) end
  answer[#answer + 1] = told
end
return answer
