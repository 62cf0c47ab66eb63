-- Stops all turns for a while: the service asked for it, does not answer, or refuses our credentials.
-- KEYS[1] the pace
-- ARGV[1] µs asked for by the service, or 0: then the wait doubles with each episode in a row
-- ARGV[2] first wait in µs   ARGV[3] longest wait in µs   ARGV[4] why, for people
-- ARGV[5] episode in which the call had its turn: fifty workers meeting one limit count once
-- Answers { µs until turns are handed out again, episode, 1 where this call opened the episode }
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local pace = redis.call('HMGET', KEYS[1], 'until', 'strikes', 'episode')
local blockedUntil, strikes, episode = tonumber(pace[1] or 0), tonumber(pace[2] or 0), tonumber(pace[3] or 0)
local opens = tonumber(ARGV[5]) >= episode and 1 or 0
local wait = tonumber(ARGV[1])
if opens == 1 then
  strikes = strikes + 1
  episode = episode + 1
  if wait == 0 then wait = math.min(tonumber(ARGV[2]) * 2 ^ math.min(strikes - 1, 20), tonumber(ARGV[3])) end
end
if now + wait > blockedUntil then
  blockedUntil = now + wait
  redis.call('HSET', KEYS[1], 'until', string.format('%.0f', blockedUntil), 'why', ARGV[4])
end
redis.call('HSET', KEYS[1], 'strikes', strikes, 'episode', episode)
return { math.max(0, math.ceil(blockedUntil - now)), episode, opens }
