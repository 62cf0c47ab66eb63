-- Uses a code up: an app's code for its time step and all earlier ones (RFC 6238, section 5.2), or a recovery code.
-- user: the key   step: the code's time step, or ''   digest: of a recovery code, or ''
-- Answers whether the code was still unused
local function useFactor(user, step, digest)
  local last, kept = unpack(redis.call('HMGET', user, 'step', 'recovery'))
  if step ~= '' then
    if last and tonumber(last) >= tonumber(step) then return false end
    redis.call('HSET', user, 'step', step)
    return true
  end
  local left, isThere = {}, false
  for one in string.gmatch(kept or '', '%S+') do
    if one == digest and digest ~= '' then isThere = true else left[#left + 1] = one end
  end
  if isThere then redis.call('HSET', user, 'recovery', table.concat(left, ' ')) end
  return isThere
end
