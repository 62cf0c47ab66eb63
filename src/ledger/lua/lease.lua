-- Asks for a right that one process at a time has, or says that it goes on: to take in what a drop folder holds, to archive.
-- @keys right
-- @args process lastsMs
-- lastsMs: after which it is another's without a further sign; 0 gives it up.
-- Answers 1 where the process has it, or had it until now; 0 where another has it.
local holder = redis.call('GET', right)
if holder and holder ~= process then return 0 end
if lastsMs == '0' then redis.call('DEL', right) else redis.call('SET', right, process, 'PX', lastsMs) end
return 1
