-- Whether a session is valid, and what its user must do in it first. Includes clock.lua.
-- A user's session is valid as long as the user still has the epoch of its beginning: a new password, role or factor changes the epoch.
-- A session by an identity provider has its own roles.
-- session: the key   userPrefix: beginning of users' keys   absoluteMs: how long a session lives at most
-- Answers nil, or a table: by, roles, owes ('' | 'code' | 'password' | 'factor'), began, seen, from, agent
-- @include clock
local function standingOf(session, userPrefix, absoluteMs)
  local found = redis.call('HMGET', session, 'by', 'epoch', 'coded', 'roles', 'owes', 'began', 'seen', 'from', 'agent')
  local by = found[1]
  if not by or tonumber(found[6]) + absoluteMs <= nowMs() then return nil end
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
