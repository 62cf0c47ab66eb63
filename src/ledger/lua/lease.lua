-- Takes or renews a right that one process at a time has, such as to archive portfolios.
-- @keys right
-- @args process lastsMs
-- lastsMs: lifetime without a renewal; 0 gives the right up.
-- Answers 1 if the process has the right, or had it until now; 0 if another has it.
local holder = redis.call('GET', right)
if holder and holder ~= process then return 0 end
if lastsMs == '0' then redis.call('DEL', right) else redis.call('SET', right, process, 'PX', lastsMs) end
return 1
