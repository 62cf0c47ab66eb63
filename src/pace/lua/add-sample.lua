-- Notes how the pace stands, if nobody has done so lately: one sample for the whole fleet, whoever asks.
-- KEYS[1] the pace, see pace-state.lua   KEYS[2] its samples, a list, the latest last
-- ARGV[1] ms between two samples   ARGV[2] how many are kept   ARGV[3] seconds that the last of them is kept
-- Answers 1 where it was noted, 0 where another sample is as good, or no call was made yet.
-- A sample is "<ms> <accepted> <throttled> <rate> <until>": calls accepted and told to slow down in all, the calls a second that
-- might leave by what was learned, 0 while nothing was, and the ms until which the service's limit lets nothing leave, 0 where
-- that is not so. While nothing happens the last one is written over with the present time, so that an idle hour takes one place.
local found = redis.call('HMGET', KEYS[1], 'accepted', 'throttled', 'rate', 'phase', 'until', 'because')
if not found[3] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local latest = redis.call('LRANGE', KEYS[2], -2, -1)
local function readSample(text)
  local at, counts = string.match(text or '', '^(%d+) (%d+ %d+) ')
  return tonumber(at), counts
end
local lastAt, lastCounts = readSample(latest[#latest])
local _, countsBefore = readSample(latest[#latest - 1])
-- A clock that went back, with another server, is no reason to wait for it.
if lastAt and lastAt <= now and now - lastAt < tonumber(ARGV[1]) then return 0 end
local counts = string.format('%.0f %.0f', found[1] or 0, found[2] or 0)
local rate = found[4] == 'start' and '0' or string.format('%.4g', found[3])
if counts == lastCounts and counts == countsBefore then redis.call('RPOP', KEYS[2]) end
-- Nobody knows how long it takes until a service is back.
local because = found[6]
local isAway = because == 'outage' or because == 'credentials' or because == 'replicas' or because == 'memory'
local untilMs = isAway and 0 or math.floor((tonumber(found[5]) or 0) / 1000)
redis.call('RPUSH', KEYS[2], string.format('%.0f %s %s %.0f', now, counts, rate, untilMs > now and untilMs or 0))
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[2]), -1)
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
