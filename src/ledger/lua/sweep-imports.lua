-- Takes off imports that gave no sign of life for too long, killed ones: nothing waits for them any more. That their files were not read
-- to the end stays known, unless the portfolio was cancelled since: then nobody wants the rest of them.
-- KEYS[1] the portfolio   KEYS[2] its imports under way   ARGV[1] ms without a sign after which an import is gone
-- Answers when the portfolio was finished, in ms; "" when it is not.
-- @include move
-- @include archived
-- @include cancelled
-- @include unread
if isArchived(KEYS[1]) then return redis.call('HGET', KEYS[1], 'finished') or '' end
local now = nowMs()
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[1])
-- A sign from the future is one from before the clock went back.
redis.call('ZREMRANGEBYSCORE', KEYS[2], now + ARGV[1], '+inf')
if isGivenUp(KEYS[1]) then
  local living = table.concat(redis.call('ZRANGE', KEYS[2], 0, -1), ' ')
  keepUnread(KEYS[1], function(content) return string.find(living, content .. ':', 1, true) end)
end
noteFinish(KEYS[1], now)
return redis.call('HGET', KEYS[1], 'finished') or ''
