-- Runs one command that writes a little, also while the memory of Redis is full.
-- KEYS[1] the key   ARGV[1] the command   ARGV[2…] what comes behind the key
-- Answers what the command answers.
-- @any-format
return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))
