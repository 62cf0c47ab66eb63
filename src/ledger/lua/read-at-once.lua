-- Reads several keys at one moment. A transaction does the same, but Redis refuses even that while its memory is full.
-- KEYS the keys, each for one command
-- ARGV for each key: the command, how many words come behind the key, and these
-- @only-reads
-- Answers { seconds and microseconds of the server's clock, what each command answers … }
local answers, at = { redis.call('TIME') }, 1
for _, key in ipairs(KEYS) do
  local last = at + 1 + ARGV[at + 1]
  answers[#answers + 1] = redis.call(ARGV[at], key, unpack(ARGV, at + 2, last))
  at = last + 1
end
return answers
