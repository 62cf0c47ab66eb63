-- Appends entries to the audit trail, if its head is still the one from which their links were made; without entries it only reads the
-- head. A repetition of a successful call answers success.
-- KEYS[1] the trail: a stream, an entry's number is the first part of its id   KEYS[2] its head: a hash
-- ARGV[1] number and ARGV[2] link of the expected head   ARGV[3] digest that identifies the key   ARGV[4] name of this attempt
-- ARGV[5] time of the last entry, in ms   ARGV[6…] number, text and link of each entry
-- Answers {1 if they are written, else 0; number, link, time and mark of the head; the highest number that the stream ever
-- had; the clock in ms}
local trail, head = KEYS[1], KEYS[2]
local expected, link, mark, attempt, atMs = unpack(ARGV, 1, 5)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('HMGET', head, 'number', 'link', 'at', 'mark')
local top = '0'
if redis.call('EXISTS', trail) == 1 then
  local info = redis.call('XINFO', 'STREAM', trail)
  for place = 1, #info, 2 do
    if info[place] == 'last-generated-id' then top = string.match(info[place + 1], '^%d+') end
  end
end
local answer = { 0, found[1] or '0', found[2] or '', found[3] or '0', found[4] or '', top, now }
if #ARGV < 6 then return answer end
if answer[2] ~= expected or answer[3] ~= link then
  local first = redis.call('XRANGE', trail, ARGV[6] .. '-0', ARGV[6] .. '-0')[1]
  if first and first[2][4] == ARGV[8] and first[2][6] == attempt then answer[1] = 1 end
  return answer
end
for place = 6, #ARGV, 3 do
  redis.call('XADD', trail, ARGV[place] .. '-0', 'e', ARGV[place + 1], 'l', ARGV[place + 2], 'w', attempt)
end
redis.call('HSET', head, 'number', ARGV[#ARGV - 2], 'link', ARGV[#ARGV], 'at', atMs, 'mark', mark)
answer[1] = 1
return answer
