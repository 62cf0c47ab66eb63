-- Included where a row gives way to another, or comes back. `replaced` of a row is "<import> <key>": the import that did it,
-- and the row that took its place, "" where the row's line was only left out. Such rows are counted by tally.lua.
local function isReplaced(row)
  local by = redis.call('HGET', row, 'replaced')
  return by ~= false and string.match(by, ' (.*)$') ~= ''
end

local function noteReplaced(row, by)
  redis.call('HSET', row, 'replaced', by)
end

local function takeBackReplaced(row)
  redis.call('HDEL', row, 'replaced')
end
