-- The server's clock in ms, the same for all hosts.
local function nowMs()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Whether a time that was noted lies ahead: the clock was set back since, or another server is asked. A minute is allowed between servers.
local function isAhead(notedMs)
  return tonumber(notedMs) > nowMs() + 60000
end
