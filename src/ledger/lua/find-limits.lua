-- Limits by their ids: what their calls say, and what is known of the rows for which they were made.
-- @keys account
-- @args …items
-- For each limit its id, and the key of the request whose limit is meant, "" for that which made the id first
-- Answers for each { the key of its request; row, at, record, by and decided of its call; request and import of that row; shared of its call }, or
-- 0 if no call of the account made it.
-- @include portfolio-of
-- @include made-ids
-- @include tell
local function find(id, key)
  local isOwn = key ~= '' and redis.call('HGET', ROOT .. ':call:limit:' .. key, 'id') == id
  if not isOwn then key = redis.call('HGET', (madeIdsOf(ROOT .. ':call:limit:', id)), id) end
  if not key then return 0 end
  local call = ROOT .. ':call:limit:' .. key
  local said = redis.call('HMGET', call, 'row', 'at', 'record', 'by', 'decided', 'shared')
  local row = rowNamed(said[1] or '', call)
  local of = row == '' and {} or redis.call('HMGET', row, 'request', 'import')
  return { key, said[1], said[2], said[3], said[4], said[5], of[1] or '', of[2] or '', said[6] or '' }
end

local answers = {}
for at = 1, #items, 2 do
  local isFound, answer = pcall(find, items[at], items[at + 1])
  answers[#answers + 1] = isFound and answer or faultOf(answer)
end
return answers
