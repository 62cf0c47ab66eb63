-- Adds a sample of the pace, unless any process did so lately. All processes share the samples.
-- KEYS[1] the pace, see pace-state.lua   KEYS[2] its samples, a list, the latest last   KEYS[3] a hash that counts what was made, by kind
-- ARGV[1] ms between two samples   ARGV[2] how many are kept   ARGV[3] seconds until the list expires
-- Answers 1 if a sample was added; 0 if another one is recent enough, or before the first call.
-- A sample is "<ms> <accepted> <throttled> <rate> <until> <companies> <documents> <limits>":
--   accepted, throttled   calls since the account's first
--   rate                  the learned rate, 0 until a limit was reached
--   until                 when the service's limit lets calls leave again, in ms, or 0
--   companies, documents, limits   made since the account's first
-- While nothing happens the last sample gets the present time instead, so an idle hour takes one sample.
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
-- After a takeover by a server whose clock is behind, the next sample is due at once.
if lastAt and lastAt <= now and now - lastAt < tonumber(ARGV[1]) then return 0 end
local counts = string.format('%.0f %.0f', found[1] or 0, found[2] or 0)
local rate = found[4] == 'start' and '0' or string.format('%.4g', found[3])
if counts == lastCounts and counts == countsBefore then redis.call('RPOP', KEYS[2]) end
-- How long an outage lasts is unknown, so a sample has no end of a wait that the service's limit did not cause.
local because = found[6]
local isAway = because == 'outage' or because == 'credentials' or because == 'replicas' or because == 'memory'
local untilMs = isAway and 0 or math.floor((tonumber(found[5]) or 0) / 1000)
local made = redis.call('HMGET', KEYS[3], 'made:company', 'made:document', 'made:limit')
redis.call('RPUSH', KEYS[2], string.format('%.0f %s %s %.0f %d %d %d', now, counts, rate, untilMs > now and untilMs or 0, made[1] or 0, made[2] or 0, made[3] or 0))
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[2]), -1)
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
