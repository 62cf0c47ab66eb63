-- A worker process says that it lives. Processes silent for an hour are forgotten: whatever they were sending counts
-- as vanished long before.
-- KEYS[1] the workers' signs of life   ARGV[1] process
-- Answers the server's clock in ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 3600000)
return now
