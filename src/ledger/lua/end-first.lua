-- Included where a portfolio stops waiting behind its first rows. `firstOver` is the reason of the pause behind them. A pause for
-- another reason, such as a person's, stays.
local function endFirst(portfolio)
  local found = redis.call('HMGET', portfolio, 'firstOver', 'paused')
  if found[1] and found[1] == found[2] then redis.call('HDEL', portfolio, 'paused') end
  redis.call('HDEL', portfolio, 'firstOver')
end
