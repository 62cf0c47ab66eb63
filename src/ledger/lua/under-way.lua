-- Included where a row is given up: a call of its own that is under way is answered first, and its outcome counts. So does
-- that of a limit that was made, or may have been.
-- KEYS[3] the workers' signs of life   KEYS[4] the call that makes its limit   KEYS[5…] the other calls of its step
-- Answers "under way" | "left", under way at a process that has vanished; nothing where none is.
local function callUnderWay(name, vanishedAfterMs, now)
  for at = 4, #KEYS do
    local call = redis.call('HMGET', KEYS[at], 'state', 'owner', 'row')
    if call[3] == name then
      if call[1] == 'claimed' then
        local seen = redis.call('ZSCORE', KEYS[3], string.match(call[2], '^[^/]+'))
        return seen and tonumber(seen) > now - vanishedAfterMs and 'under way' or 'left'
      end
      if at == 4 and (call[1] == 'unknown' or call[1] == 'made') then return 'under way' end
    end
  end
end
