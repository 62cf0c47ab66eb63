-- Finds the calls that made ids.
-- KEYS[1] what the keys of calls begin with   ARGV kind, id, kind, id …
-- Answers for each { key of the call, the row that it was made for }, or {} where nothing is known to have made it.
-- @include made-ids
local answer = {}
for at = 1, #ARGV, 2 do
  local call = KEYS[1] .. ARGV[at] .. ':'
  local key = redis.call('HGET', (madeIdsOf(call, ARGV[at + 1])), ARGV[at + 1])
  answer[#answer + 1] = key and { key, rowOfOther(call, key) } or {}
end
return answer
