-- Included where a row fails, or is found to have failed.
local MOST_CAUSES = 200

-- Says of a row why it fails. A portfolio that knows as many causes as it may takes the coarser one.
local function noteCause(portfolio, row, cause, known, coarse, coarseKnown)
  local causes = portfolio .. ':causes'
  if redis.call('HEXISTS', causes, cause) == 0 then
    if redis.call('HLEN', causes) >= MOST_CAUSES then cause, known = coarse, coarseKnown end
    redis.call('HSET', causes, cause, known)
  end
  redis.call('HSET', row, 'cause', cause)
end
