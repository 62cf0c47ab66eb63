-- Takes back what a right answer was counted as before it was known to be right. Includes clock.lua.
-- bucket: what was counted for the account   marker: that this account signed in from there, '' to leave that open
-- address: what was counted for the place   backMs: how much of that is given back, 0 for nothing
local function forgive(bucket, marker, address, knownMs, backMs)
  redis.call('DEL', bucket)
  if marker ~= '' then redis.call('SET', marker, 1, 'PX', knownMs) end
  if tonumber(backMs) == 0 then return end
  local now, free = nowMs(), redis.call('GET', address)
  if not free then return end
  local left = free - backMs - now
  if left <= 0 then redis.call('DEL', address) else redis.call('SET', address, now + left, 'PX', left) end
end
