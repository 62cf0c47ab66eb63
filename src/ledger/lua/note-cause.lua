-- Included where a row fails, or is found to have failed.
local MOST_CAUSES = 200

-- A portfolio that knows as many causes as it may takes the coarser one. Answers the cause that it has.
local function keepCause(causes, cause, known, coarse, coarseKnown)
  if redis.call('HEXISTS', causes, cause) == 1 then return cause end
  if redis.call('HLEN', causes) >= MOST_CAUSES then cause, known = coarse, coarseKnown end
  redis.call('HSET', causes, cause, known)
  return cause
end
