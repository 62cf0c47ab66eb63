-- The right to fetch a token, which one process at a time has. Each script of this file begins with its name.

-- @script token-prolong
-- Extends the lock for fetching a token, if this process holds it. Idempotent.
-- KEYS[1] the lock   ARGV[1] owner   ARGV[2] new duration from now, in ms
-- Returns 1, or 0 when the lock is gone or another process's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])

-- @script token-release
-- Releases the lock for fetching a token, unless another process holds it by now. Idempotent.
-- KEYS[1] the lock   ARGV[1] owner
-- Returns 1, or 0 when the lock is gone or another process's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
