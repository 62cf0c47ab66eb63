-- Sessions: begun, read, listed and ended. Each script of this file begins with its name.

-- @script put-session
-- Writes a session, and ends a person's oldest sessions beyond the limit. Includes clock.lua.
-- sessionsOf: the list of the person's sessions, or nil for half a session (password given, code still missing), which is not listed and so
-- cannot displace others
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
  -- Those that began ahead of the clock have ended. As the newest of the list they would displace the one that begins.
  local function finish(digests)
    for _, digest in ipairs(digests) do
      redis.call('UNLINK', sessionPrefix .. digest)
      redis.call('ZREM', sessionsOf, digest)
    end
  end
  finish(redis.call('ZRANGEBYSCORE', sessionsOf, '(' .. string.format('%.0f', now + 60000), '+inf'))
  finish(redis.call('ZRANGE', sessionsOf, 0, -most - 1))
end

-- @script session-standing
-- Whether a session is valid, and what its user must do in it first. Includes clock.lua.
-- A user's session is valid as long as the user still has the epoch of its beginning: a new password, role or factor changes the epoch.
-- A session by an identity provider has its own roles. One that began ahead of the clock ends: its age is not known.
-- session: the key   userPrefix: beginning of users' keys   absoluteMs: how long a session lives at most
-- Answers nil, or a table: by, roles, owes ('' | 'code' | 'password' | 'factor'), began, seen, from, agent
-- @include clock
local function standingOf(session, userPrefix, absoluteMs)
  local found = redis.call('HMGET', session, 'by', 'epoch', 'coded', 'roles', 'owes', 'began', 'seen', 'from', 'agent')
  local by = found[1]
  if not by or tonumber(found[6]) + absoluteMs <= nowMs() then return nil end
  if isAhead(found[6]) then
    redis.call('UNLINK', session)
    return nil
  end
  local standing = { by = by, began = found[6], seen = found[7], from = found[8], agent = found[9] }
  standing.roles, standing.owes = found[4], found[5]
  if found[2] then
    local user = redis.call('HMGET', userPrefix .. by, 'epoch', 'roles', 'factor', 'until')
    if user[1] ~= found[2] then return nil end
    standing.roles, standing.owes = user[2], ''
    if user[3] and found[3] ~= '1' then
      standing.owes = 'code'
    elseif user[4] then
      standing.owes = 'password'
    elseif not user[3] and user[2] ~= 'viewer' then
      standing.owes = 'factor'
    end
  end
  return standing
end

-- @script begin-opening
-- Begins a one-time link to the console, or the session that it becomes, as long as there are no users. A new link replaces unopened
-- ones. Safe to repeat.
-- KEYS[1] the link or session to begin   KEYS[2] all links and sessions of this kind   KEYS[3] the names of all users
-- KEYS[4] the link that is used up, or KEYS[1] to begin a link
-- ARGV[1] beginning of sessions' keys   ARGV[2] lifetime in ms   ARGV[3] the most links and sessions   ARGV[4] who makes the link
-- ARGV[5] roles   ARGV[6] from   ARGV[7] agent
-- Answers who made the link, or nil if there are users, or no such link (any more)
-- @include clock
-- @include #put-session
local sessionPrefix, livesMs, most, by, roles, from, agent = unpack(ARGV)
if redis.call('EXISTS', KEYS[3]) == 1 then return nil end
local begun = redis.call('HGET', KEYS[1], 'by')
if begun then return begun end
local isLink = KEYS[4] == KEYS[1]
if not isLink then
  local link = redis.call('HMGET', KEYS[4], 'by', 'owes', 'began')
  if link[2] ~= 'link' or isAhead(link[3]) then return nil end
  by = link[1]
end
for _, digest in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local key = sessionPrefix .. digest
  if redis.call('HGET', key, 'owes') == 'link' then
    redis.call('UNLINK', key)
    redis.call('ZREM', KEYS[2], digest)
  end
end
-- `seen` is the end of the session's lifetime: activity does not change it, so the session does not end by inactivity.
local fields = { 'by', by, 'roles', roles, 'owes', isLink and 'link' or '', 'from', from, 'agent', agent, 'seen', nowMs() + livesMs }
putSession(KEYS[1], fields, KEYS[2], sessionPrefix, { tonumber(livesMs), tonumber(livesMs), tonumber(most) })
return by

-- @script begin-sso-session
-- Begins a session of a person of an identity provider, with the person's roles.
-- KEYS[1] the session   KEYS[2] the person's sessions
-- ARGV[1] beginning of sessions' keys   ARGV[2] ms without activity   ARGV[3] ms at most   ARGV[4] most sessions of a person
-- ARGV[5] and following: fields and values
-- Answers nothing
-- @include clock
-- @include #put-session
local sessionPrefix, idleMs, absoluteMs, most = unpack(ARGV, 1, 4)
putSession(KEYS[1], { unpack(ARGV, 5) }, KEYS[2], sessionPrefix, { tonumber(idleMs), tonumber(absoluteMs), tonumber(most) })

-- @script read-session
-- Whose session this is, and whether there are any users: read once for each request.
-- KEYS[1] the session   KEYS[2] the names of all users
-- ARGV[1] beginning of users' keys   ARGV[2] ms that a session lives at most   ARGV[3] ms without activity after which it ends
-- ARGV[4] "1" if the request is a person's activity   ARGV[5] ms after which activity is written again
-- Answers {1 if there are users}, followed by {by, roles, owes} if the session is valid
-- @include #session-standing
local userPrefix, absoluteMs, idleMs, counts, writeAfterMs = unpack(ARGV)
local required = redis.call('EXISTS', KEYS[2])
local standing = standingOf(KEYS[1], userPrefix, tonumber(absoluteMs))
if not standing then return { required } end
-- Half a session, which waits for the code, is not prolonged by a request.
if counts == '1' and standing.owes ~= 'code' then
  local now = nowMs()
  if now - standing.seen >= tonumber(writeAfterMs) then
    redis.call('HSET', KEYS[1], 'seen', now)
    redis.call('PEXPIRE', KEYS[1], math.min(tonumber(idleMs), standing.began + absoluteMs - now))
  end
end
return { required, standing.by, standing.roles, standing.owes }

-- @script living-sessions
-- Which of these sessions are valid and complete (no code, new password or factor is owed); asking keeps none of them alive.
-- KEYS the sessions   ARGV[1] beginning of users' keys   ARGV[2] ms that a session lives at most
-- Answers 1 or 0 for each
-- @include #session-standing
local living = {}
for place, session in ipairs(KEYS) do
  local standing = standingOf(session, ARGV[1], tonumber(ARGV[2]))
  living[place] = standing and standing.owes == '' and 1 or 0
end
return living

-- @script list-sessions
-- The valid sessions of one person; expired ones are removed from the list.
-- KEYS[1] the person's sessions   ARGV[1] beginning of users' keys   ARGV[2] of sessions' keys   ARGV[3] ms that one lives at most
-- Answers {digest, began, seen, from, agent} of each, the newest first
-- @include #session-standing
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

-- @script renew-session
-- Gives a session another token; the old one becomes invalid.
-- KEYS[1] the session   KEYS[2] the session under its new token
-- ARGV[1] beginning of users' keys   ARGV[2] of sessions' keys   ARGV[3] of the keys of a person's sessions
-- ARGV[4] ms that a session lives at most
-- Answers 1, or 0 if the session is not valid
-- @include #session-standing
local userPrefix, sessionPrefix, sessionsOfPrefix, absoluteMs = unpack(ARGV)
local standing = standingOf(KEYS[1], userPrefix, tonumber(absoluteMs))
if not standing then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
local sessionsOf = sessionsOfPrefix .. standing.by
if redis.call('ZREM', sessionsOf, string.sub(KEYS[1], #sessionPrefix + 1)) == 1 then
  redis.call('ZADD', sessionsOf, standing.began, string.sub(KEYS[2], #sessionPrefix + 1))
end
return 1

-- @script end-session
-- Ends a session of any kind.
-- KEYS[1] the session   ARGV[1] key prefix of sessions   ARGV[2] key prefix of a person's sessions
-- Answers whose session it was, or nil
local by = redis.call('HGET', KEYS[1], 'by')
if not by then return nil end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', ARGV[2] .. by, string.sub(KEYS[1], #ARGV[1] + 1))
return by

-- @script end-sessions
-- Ends sessions of one person.
-- KEYS[1] the person's sessions   ARGV[1] beginning of sessions' keys   ARGV[2] digest of a session to keep, or ""
-- ARGV[3] beginning of the digests of those to end, "" for all
-- Answers how many ended
local sessionPrefix, but, beginning = unpack(ARGV)
local ended = 0
for _, digest in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if digest ~= but and string.sub(digest, 1, #beginning) == beginning then
    ended = ended + redis.call('UNLINK', sessionPrefix .. digest)
    redis.call('ZREM', KEYS[1], digest)
  end
end
return ended
