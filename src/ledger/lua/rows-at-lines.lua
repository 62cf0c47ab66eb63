-- Lists the rows of one import between two of its lines, whatever state they are in.
-- KEYS[1] the key of a row, less its name   KEYS[2…] the sorted sets of the rows of a portfolio, one for each state
-- ARGV[1] import   ARGV[2] first line   ARGV[3] last line
-- Answers { row, line, row, line, … }
local answer = {}
for at = 2, #KEYS do
  local rows = redis.call('ZRANGEBYSCORE', KEYS[at], ARGV[2], ARGV[3], 'WITHSCORES')
  for place = 1, #rows, 2 do
    if redis.call('HGET', KEYS[1] .. rows[place], 'import') == ARGV[1] then
      answer[#answer + 1] = rows[place]
      answer[#answer + 1] = rows[place + 1]
    end
  end
end
return answer
