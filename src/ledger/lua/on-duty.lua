-- A process that runs what is due says that it is there. Those that were silent for a day are forgotten, and so are signs from the
-- future: a clock went back since, and whoever lives gives another.
-- KEYS[1] the signs of life   ARGV[1] process
-- Answers nothing.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 86400000)
