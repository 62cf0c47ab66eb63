-- The sessions of one person that count; those that ended by themselves are taken off the list.
-- KEYS[1] the person's sessions   ARGV[1] what the keys of users begin with   ARGV[2] those of sessions   ARGV[3] ms that one lives at most
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
