-- Reads rows of one state in the order of their lines, with all that the nightly check looks at, each as it is at one moment.
-- KEYS[1] index of the state   KEYS[2] what the keys of its rows begin with
-- ARGV[1] the first line   ARGV[2] rows at most   ARGV[3…] the fields of a row that are read
-- Answers key, line, field, field, … of each row, all in one list; "" for what a row does not have.
local members = redis.call('ZRANGE', KEYS[1], ARGV[1], '+inf', 'BYSCORE', 'LIMIT', '0', ARGV[2], 'WITHSCORES')
local answer, place = {}, 0
for at = 1, #members, 2 do
  answer[place + 1], answer[place + 2] = members[at], members[at + 1]
  place = place + 2
  for _, value in ipairs(redis.call('HMGET', KEYS[2] .. members[at], unpack(ARGV, 3))) do
    place = place + 1
    answer[place] = value or ''
  end
end
return answer
