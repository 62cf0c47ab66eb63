-- The valid sessions of one person; expired ones are removed from the list.
-- KEYS[1] the person's sessions   ARGV[1] beginning of users' keys   ARGV[2] of sessions' keys   ARGV[3] ms that one lives at most
-- Answers {digest, began, seen, from, agent} of each, the newest first
-- @include session-standing
local sessions = {}
for _, digest in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  local standing = standingOf(ARGV[2] .. digest, ARGV[1], tonumber(ARGV[3]))
  if standing then
    sessions[#sessions + 1] = { digest, standing.began, standing.seen, standing.from, standing.agent }
  else
    redis.call('ZREM', KEYS[1], digest)
  end
end
return sessions
