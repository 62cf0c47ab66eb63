-- Hands out turns: moments at which one call may leave, spaced evenly over all processes (GCRA without a burst).
-- KEYS[1] the pace: tat (µs, when the next turn is free), until (µs, nothing leaves before), why, strikes, episode
-- ARGV[1] turns wanted   ARGV[2] most calls a second, 0 for no limit   ARGV[3] µs ahead that turns are handed out
-- ARGV[4] µs between turns while the service is being tried again after a block
-- Answers { turns, µs until the first, µs between them, episode, strikes } or
--         { 0, µs until it is worth asking again, 0, episode, strikes, why nothing leaves, or "" }
-- Sent twice it hands out turns that nobody takes: the line is a little slower, never faster.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local pace = redis.call('HMGET', KEYS[1], 'tat', 'until', 'why', 'strikes', 'episode')
local strikes, episode = tonumber(pace[4] or 0), tonumber(pace[5] or 0)
local blocked = tonumber(pace[2] or 0) - now
if blocked > 0 then return { 0, math.ceil(blocked), 0, episode, strikes, pace[3] or '' } end

local interval = 0
if tonumber(ARGV[2]) > 0 then interval = 1000000 / tonumber(ARGV[2]) end
if strikes > 0 then interval = math.max(interval, tonumber(ARGV[4])) end
local tat = math.max(tonumber(pace[1] or 0), now)
local wanted, ahead = tonumber(ARGV[1]), tonumber(ARGV[3])
local turns = wanted
if interval > 0 then turns = math.min(wanted, math.floor((now + ahead - tat) / interval) + 1) end
if turns <= 0 then return { 0, math.ceil(tat - now - ahead), 0, episode, strikes, '' } end
redis.call('HSET', KEYS[1], 'tat', string.format('%.0f', tat + turns * interval))
return { turns, math.floor(tat - now), math.ceil(interval), episode, strikes }
