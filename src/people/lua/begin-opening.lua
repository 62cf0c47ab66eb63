-- Begins a one-time link to the console, or the session that it becomes, as long as there are no users. A new link replaces unopened
-- ones. Safe to repeat.
-- KEYS[1] the link or session to begin   KEYS[2] all links and sessions of this kind   KEYS[3] the names of all users
-- KEYS[4] the link that is used up, or KEYS[1] to begin a link
-- ARGV[1] beginning of sessions' keys   ARGV[2] lifetime in ms   ARGV[3] the most links and sessions   ARGV[4] who makes the link
-- ARGV[5] roles   ARGV[6] from   ARGV[7] agent
-- Answers who made the link, or nil if there are users, or no such link (any more)
-- @include clock
-- @include put-session
local sessionPrefix, livesMs, most, by, roles, from, agent = unpack(ARGV)
if redis.call('EXISTS', KEYS[3]) == 1 then return nil end
local begun = redis.call('HGET', KEYS[1], 'by')
if begun then return begun end
local isLink = KEYS[4] == KEYS[1]
if not isLink then
  local link = redis.call('HMGET', KEYS[4], 'by', 'owes')
  if link[2] ~= 'link' then return nil end
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
