-- Whether this user is the only admin.
local function isLastAdmin(user, users, name, userPrefix)
  local function isAdmin(key) return string.find(',' .. (redis.call('HGET', key, 'roles') or '') .. ',', ',admin,', 1, true) end
  if not isAdmin(user) then return false end
  for _, other in ipairs(redis.call('ZRANGE', users, 0, -1)) do
    if other ~= name and isAdmin(userPrefix .. other) then return false end
  end
  return true
end
