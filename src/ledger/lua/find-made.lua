-- Finds the calls that made ids.
-- @keys calls
-- What the keys of calls begin with.
-- @args …ids
-- Kind, id, kind, id, …
-- Answers for each { key of the call, the row that it was made for }, or {} where nothing is known to have made it.
-- @include made-ids
local answer = {}
for at = 1, #ids, 2 do
  local call = calls .. ids[at] .. ':'
  local key = redis.call('HGET', (madeIdsOf(call, ids[at + 1])), ids[at + 1])
  answer[#answer + 1] = key and { key, rowOfOther(call, key) } or {}
end
return answer
