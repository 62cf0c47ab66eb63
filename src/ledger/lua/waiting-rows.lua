-- Lists rows of a state with the step that each is at, in the order of their lines.
-- KEYS[1] the sorted set of the rows in that state   KEYS[2] the key of a row, less its name
-- ARGV[1] place of the first   ARGV[2] how many
-- Answers { row, step, row, step, … }
local rows = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local answer = {}
for _, row in ipairs(rows) do
  answer[#answer + 1] = row
  answer[#answer + 1] = redis.call('HGET', KEYS[2] .. row, 'step') or 'company'
end
return answer
