-- Included where a portfolio goes on its way out of Redis: whether it is there under this archive's id, in this state.
local function isOnItsWay(portfolio, id, state)
  local text = redis.call('HGET', portfolio, 'archive')
  local known = text and cjson.decode(text)
  return known and known.id == id and known.is == state
end
