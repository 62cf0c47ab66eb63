-- Included where it matters whether a row was cancelled. A portfolio counts how often it was cancelled (`cancels`). A row keeps that
-- count from when it was last imported or sent again (`gen`). So one step cancels all present rows, and importing again revives them.
local function generation(portfolio)
  return tonumber(redis.call('HGET', portfolio, 'cancels') or 0)
end

-- Whether a limit call was sent: then its outcome counts, even if the row was cancelled.
local function isSent(limit)
  local state = redis.call('HGET', limit, 'state')
  return state == 'claimed' or state == 'unknown' or state == 'made'
end

-- Whether the portfolio was cancelled since its last import began. Then its supplier, which belongs to that import, is given up too.
local function isGivenUp(portfolio)
  return tonumber(redis.call('HGET', portfolio, 'importGen') or 0) < generation(portfolio)
end
