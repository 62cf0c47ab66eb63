-- Lists rows of a state in the order of their lines, from a line on: a place that nobody who moves rows changes.
-- KEYS[1] the sorted set of the rows in that state   KEYS[2] the key of a row, less its name
-- ARGV[1] line of the first   ARGV[2] how many
-- Answers { row, line, step, row, line, step, … }
local rows = redis.call('ZRANGE', KEYS[1], ARGV[1], '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
local answer = {}
for at = 1, #rows, 2 do
  answer[#answer + 1] = rows[at]
  answer[#answer + 1] = rows[at + 1]
  answer[#answer + 1] = redis.call('HGET', KEYS[2] .. rows[at], 'step') or 'company'
end
return answer
