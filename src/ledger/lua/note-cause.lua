-- Included where a row fails, or a check finds out why it failed.
local MOST_CAUSES = 200

-- Keeps a cause, or the coarser one if the portfolio has as many causes as it may. Answers the id kept.
local function keepCause(causes, cause, known, coarse, coarseKnown)
  if redis.call('HEXISTS', causes, cause) == 1 then return cause end
  if redis.call('HLEN', causes) >= MOST_CAUSES then cause, known = coarse, coarseKnown end
  redis.call('HSET', causes, cause, known)
  return cause
end
