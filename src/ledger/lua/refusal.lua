-- Included where a call of a row is refused, or asked for. `refusal` of a row is "<call> <revision> <status> <what the service said>": it was
-- refused for these words, and whoever heard that has not ended the row yet, or died before. Whoever comes next ends it by the same answer.
local function noteRefusal(row, call, revision, status, body)
  local found = redis.call('HMGET', row, 'state', 'step', 'was')
  -- A held row stays one while an answer of a person to its call waits for approval.
  local isHeld = found[1] == 'held' or found[1] == 'awaiting' and string.find(found[3] or '', '"state":"held"', 1, true)
  local at = isHeld and found[2] or found[1]
  local of, kind = string.match(call, '(([^:]*):[^:]*)$')
  if at ~= (kind == 'document' and 'documents' or kind) then return end
  redis.call('HSET', row, 'refusal', of .. ' ' .. revision .. ' ' .. status .. ' ' .. body)
end

-- The status and what was said with it, where this call was refused for these words; `refusal` is what the row has.
local function refusalOf(refusal, call, revision)
  local of, rev, status, body = string.match(refusal or '', '^(%S+) (%S+) (%S+) (.*)$')
  if of == string.match(call, '[^:]*:[^:]*$') and rev == revision then return status, body end
end
