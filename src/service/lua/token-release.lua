-- Gives back the right to fetch a token; what another process holds by now stays. Twice is as good as once.
-- KEYS[1] the lock   ARGV[1] owner
-- Answers 1, or 0 when the lock is gone or another's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
