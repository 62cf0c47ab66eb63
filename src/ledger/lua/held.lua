-- Included where a row may become held or be so no longer: held rows of all portfolios are listed by the time at which they
-- were, so that the oldest of the account are found without going through portfolios.
local function noteHeld(portfolio, key, from, to, now)
  local root, name = string.match(portfolio, '^(.-):portfolio:(.*)$')
  if from == 'held' then redis.call('ZREM', root .. ':held', name .. '/' .. key) end
  if to == 'held' then redis.call('ZADD', root .. ':held', now, name .. '/' .. key) end
end
