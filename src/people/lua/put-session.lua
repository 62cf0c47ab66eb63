-- Writes a session, and ends a person's oldest sessions beyond the limit. Includes clock.lua.
-- sessionsOf: the list of the person's sessions, or nil for half a session, which is not listed and so cannot displace others
-- limits: {ms without activity, ms that it lives at most, most sessions of a person}
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
