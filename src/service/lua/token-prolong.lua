-- Prolongs the right to fetch a token, for the process that has it and nobody else. Twice is as good as once.
-- KEYS[1] the lock   ARGV[1] owner   ARGV[2] for how long from now, in ms
-- Answers 1, or 0 when the lock is gone or another's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
