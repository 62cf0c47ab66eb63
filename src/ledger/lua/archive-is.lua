-- Included where a portfolio goes on its way out of Redis: whether it is there under this archive's id, in this state.
local function isOnItsWay(portfolio, id, state)
  local text = redis.call('HGET', portfolio, 'archive')
  local known = text and cjson.decode(text)
  return known and known.id == id and known.is == state
end

-- Whether it comes back by this run: of two processes only the later one, since a key that one begins anew the other may have ended.
local function isComingBack(portfolio, run)
  local text = redis.call('HGET', portfolio, 'archive')
  local known = text and cjson.decode(text)
  if not known or known.is ~= 'restoring' or known.run ~= run then return false end
  -- Redis whose memory is full refuses the first command of a script that takes some, and none behind one that was let through: this
  -- one changes nothing, and is the first.
  redis.call('HSET', portfolio, 'archive', text)
  return true
end
