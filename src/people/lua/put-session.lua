-- Writes a session, and of a person's sessions ends the oldest where there are too many. Includes clock.lua.
-- sessionsOf: the list that it is to be in, or nil for half a session, which is in none and so can drive nobody's out
-- limits: {ms until it ends by itself, ms that it lives at most, the most of a person}
local function putSession(session, fields, sessionsOf, sessionPrefix, limits)
  local idleMs, absoluteMs, most = unpack(limits)
  local now = nowMs()
  redis.call('HSET', session, 'began', now, 'seen', now, unpack(fields))
  redis.call('PEXPIRE', session, math.min(idleMs, absoluteMs))
  if not sessionsOf then return end
  redis.call('ZADD', sessionsOf, now, string.sub(session, #sessionPrefix + 1))
  redis.call('PEXPIRE', sessionsOf, absoluteMs)
  redis.call('ZREMRANGEBYSCORE', sessionsOf, '-inf', now - absoluteMs)
  for _, digest in ipairs(redis.call('ZRANGE', sessionsOf, 0, -most - 1)) do
    redis.call('UNLINK', sessionPrefix .. digest)
    redis.call('ZREM', sessionsOf, digest)
  end
end
