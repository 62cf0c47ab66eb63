-- What is known of limits: what their calls say, and the rows for which they were made.
-- KEYS[1] the account
-- ARGV ids of limits
-- Answers for each { the key of its request; row, at, record, by and decided of its call; request and import of that row }, or 0 if no
-- call of the account made it.
-- @include portfolio-of
-- @include made-ids
-- @include tell
local answers = {}
for _, id in ipairs(ARGV) do
  local key = redis.call('HGET', (madeIdsOf(ROOT .. ':call:limit:', id)), id)
  local found = 0
  if key then
    local call = ROOT .. ':call:limit:' .. key
    local said = redis.call('HMGET', call, 'row', 'at', 'record', 'by', 'decided')
    local row = rowNamed(said[1] or '', call)
    local of = row == '' and {} or redis.call('HMGET', row, 'request', 'import')
    found = { key, said[1], said[2], said[3], said[4], said[5], of[1] or '', of[2] or '' }
  end
  answers[#answers + 1] = found
end
return answers
