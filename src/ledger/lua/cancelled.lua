-- Included where it counts whether somebody has cancelled what is asked for. A portfolio counts how often it was cancelled
-- (`cancels`), a row bears that count from when it was last brought in or sent again (`gen`): so one step cancels all
-- rows there are, and importing again passes it.
local function generation(portfolio)
  return tonumber(redis.call('HGET', portfolio, 'cancels') or 0)
end

local function isCancelled(portfolio, row)
  local known = redis.call('HMGET', row, 'state', 'gen')
  return known[1] == 'cancelled' or tonumber(known[2] or 0) < generation(portfolio)
end

-- A limit that was sent is answered, and its outcome counts, whoever cancelled the row.
local function isSent(limit)
  local state = redis.call('HGET', limit, 'state')
  return state == 'claimed' or state == 'unknown' or state == 'made'
end

-- The same for what belongs to the portfolio as a whole, its supplier: of the last import.
local function isGivenUp(portfolio)
  return tonumber(redis.call('HGET', portfolio, 'importGen') or 0) < generation(portfolio)
end
