-- Reads several keys at one moment. A transaction does the same, but Redis refuses even that while its memory is full.
-- @keys …keys
-- One key for each command.
-- @args …commands
-- For each key: the command, the number of arguments behind the key, and these.
-- @only-reads
-- Answers { seconds and microseconds of the server's clock, reply to each command … }
local answers, at = { redis.call('TIME') }, 1
for _, key in ipairs(keys) do
  local last = at + 1 + commands[at + 1]
  answers[#answers + 1] = redis.call(commands[at], key, unpack(commands, at + 2, last))
  at = last + 1
end
return answers
