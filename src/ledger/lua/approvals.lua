-- Included where it counts whether another person has approved: `approval` of a row names what it is approved with.
local function approvalKey(portfolio, id)
  return string.match(portfolio, '^(.-):portfolio:') .. ':approval:' .. id
end

-- "open" | "waiting" | "granted" | "declined" | "void"; false where there is none of this name.
local function standingOf(portfolio, id)
  return redis.call('HGET', approvalKey(portfolio, id), 'standing')
end
