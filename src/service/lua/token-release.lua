-- Releases the lock for fetching a token, unless another process holds it by now. Idempotent.
-- KEYS[1] the lock   ARGV[1] owner
-- Returns 1, or 0 when the lock is gone or another process's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
