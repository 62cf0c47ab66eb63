-- Included where a row gives way to another, or comes back. `replaced` of a row is "<import> <key>": the import that did it,
-- and the row that took its place, "" where the row's line was only left out. A portfolio counts such rows.
local function isReplaced(row)
  local by = redis.call('HGET', row, 'replaced')
  return by ~= false and string.match(by, ' (.*)$') ~= ''
end

local function noteReplaced(portfolio, row, by)
  redis.call('HSET', row, 'replaced', by)
  redis.call('HINCRBY', portfolio, 'replaced', 1)
end

local function takeBackReplaced(portfolio, row)
  if redis.call('HDEL', row, 'replaced') == 1 then redis.call('HINCRBY', portfolio, 'replaced', -1) end
end
