-- Asks for a right that one process at a time has, or says that it goes on: to take in what a drop folder holds, to archive.
-- KEYS[1] the right   ARGV[1] the process   ARGV[2] ms after which it is another's without a further sign; 0 gives it up
-- Answers 1 where the process has it, or had it until now; 0 where another has it.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1
