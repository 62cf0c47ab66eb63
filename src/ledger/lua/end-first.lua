-- Included where a portfolio waits no longer behind its first rows: `firstOver` of it is why it paused itself then. A pause for
-- another reason, such as a person's, stays.
local function endFirst(portfolio)
  local found = redis.call('HMGET', portfolio, 'firstOver', 'paused')
  if found[1] and found[1] == found[2] then redis.call('HDEL', portfolio, 'paused') end
  redis.call('HDEL', portfolio, 'firstOver')
end
