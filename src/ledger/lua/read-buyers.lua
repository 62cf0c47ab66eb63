-- Reads whom identifiers point to, and what is known of those buyers, all at one moment.
-- KEYS[1] the version of what is known   KEYS[2] what the keys of identifiers begin with   KEYS[3] those of buyers
-- ARGV digests of identifiers, of which the first three characters name the bucket
-- Answers { version, buyers of the first identifier or "", of the second …, key, record, key, record … }: buyers as they
-- were written (write-buyers.lua), and each of them once.
local answer = { redis.call('GET', KEYS[1]) or '0' }
local wanted, isWanted = {}, {}
for _, digest in ipairs(ARGV) do
  local holders = redis.call('HGET', KEYS[2] .. string.sub(digest, 1, 3), string.sub(digest, 4)) or ''
  answer[#answer + 1] = holders
  for key in string.gmatch(holders, '[%w_-]+') do
    if not isWanted[key] then
      isWanted[key] = true
      wanted[#wanted + 1] = key
    end
  end
end
for _, key in ipairs(wanted) do
  answer[#answer + 1] = key
  answer[#answer + 1] = redis.call('GET', KEYS[3] .. key) or ''
end
return answer
