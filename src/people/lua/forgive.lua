-- Takes back the counting of an attempt that turned out right. Includes clock.lua.
-- bucket: counter of the account   marker: mark that the account signed in from this address, '' to set none
-- address: counter of the address   backMs: how much of it is given back, 0 for nothing
local function forgive(bucket, marker, address, knownMs, backMs)
  redis.call('DEL', bucket)
  if marker ~= '' then redis.call('SET', marker, 1, 'PX', knownMs) end
  if tonumber(backMs) == 0 then return end
  local now, free = nowMs(), redis.call('GET', address)
  if not free then return end
  local left = free - backMs - now
  if left <= 0 then redis.call('DEL', address) else redis.call('SET', address, now + left, 'PX', left) end
end
