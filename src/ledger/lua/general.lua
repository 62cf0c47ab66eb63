-- Scripts for more than one subject. Each script of this file begins with its name.

-- @script read-at-once
-- Reads several keys at one moment. A transaction does the same, but Redis refuses even that while its memory is full.
-- @keys …keys
-- Keys: one key for each command, in their order.
-- @args …commands
-- For each key: the command, the number of arguments after the key, and those arguments.
-- @only-reads
-- Answers { seconds and microseconds of the server's clock, reply to each command … }
local answers, at = { redis.call('TIME') }, 1
for _, key in ipairs(keys) do
  local last = at + 1 + commands[at + 1]
  answers[#answers + 1] = redis.call(commands[at], key, unpack(commands, at + 2, last))
  at = last + 1
end
return answers

-- @script read-rows
-- Reads the same fields of many rows: one command in place of one a row, and no field's name in the reply.
-- @keys …rows
-- @args …fields
-- @only-reads
-- Answers each row's values in the order of the fields
local values = {}
for at, row in ipairs(rows) do
  values[at] = redis.call('HMGET', row, unpack(fields))
end
return values

-- @script set-digest
-- A digest of a range of a sorted set: as long as it is the same, so are its members and their order.
-- @keys set
-- @args from to scores
-- from, to: the range as ZRANGE takes it. scores: "WITHSCORES" if their scores count too, "" if only that of the last one does. Reading all
-- scores takes Redis three times as long.
-- @only-reads
-- Answers { digest, number of all members of the set }.
local found = redis.call('ZRANGE', unpack({ set, from, to, scores ~= '' and scores or nil }))
found[#found + 1] = scores == '' and #found > 0 and redis.call('ZSCORE', set, found[#found]) or ''
return { redis.sha1hex(table.concat(found, ' ')), redis.call('ZCARD', set) }

-- @script change-fields
-- Writes fields of a portfolio, the account or another hash, even if the memory of Redis is full.
-- @keys hash
-- @args …changes
-- "HSET" | "HDEL" | "HINCRBY", field, value ("" for HDEL), … In front may be conditions: "IS", field, value ("" for none); if a field has
-- another value, nothing is written.
-- Answers the values before, or false if a condition failed. Repeated, HINCRBY counts twice.
-- @include archived
for at = 1, #changes, 3 do
  local isOther = changes[at] == 'IS' and (redis.call('HGET', hash, changes[at + 1]) or '') ~= changes[at + 2]
  if isOther then return false end
end
local archived = archivedError(hash)
if archived then return archived end
local before = {}
for at = 1, #changes, 3 do
  local command, field, value = unpack(changes, at, at + 2)
  before[#before + 1] = redis.call('HGET', hash, field)
  if command == 'HDEL' then
    redis.call('HDEL', hash, field)
  elseif command ~= 'IS' then
    redis.call(command, hash, field, value)
  end
end
return before

-- @script lease
-- Takes or renews a right that one process at a time has, such as to archive portfolios.
-- @keys right
-- @args process lastsMs
-- lastsMs: lifetime without a renewal; 0 gives the right up.
-- Answers 1 if the process has the right, or had it until now; 0 if another has it.
local holder = redis.call('GET', right)
if holder and holder ~= process then return 0 end
if lastsMs == '0' then redis.call('DEL', right) else redis.call('SET', right, process, 'PX', lastsMs) end
return 1
