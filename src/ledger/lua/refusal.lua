-- The step of a row that needs a call of this kind.
local function stepOf(kind) return kind == 'document' and 'documents' or kind end

-- Included where a call of a row is refused or claimed. `refusal` of a row is "<call> <revision> <status> <what the service said>": the call
-- was refused, and the job that got the refusal has not ended the row yet, or died before. The next job ends the row by it.
local function noteRefusal(row, call, revision, status, body)
  local found = redis.call('HMGET', row, 'state', 'step', 'was')
  -- A held row counts as held while a person's answer to its call waits for approval.
  local isHeld = found[1] == 'held' or found[1] == 'awaiting' and string.find(found[3] or '', '"state":"held"', 1, true)
  local at = isHeld and found[2] or found[1]
  local of, kind = string.match(call, ':call:(([^:]+):.*)$')
  if at ~= stepOf(kind) then return end
  redis.call('HSET', row, 'refusal', of .. ' ' .. revision .. ' ' .. status .. ' ' .. body)
end

-- Status and text of the refusal, if the row's `refusal` is of this call and revision.
local function refusalOf(refusal, call, revision)
  if not refusal then return nil end
  local of, rev, status, body = string.match(refusal, '^(%S+) (%S+) (%S+) (.*)$')
  if of == string.match(call, ':call:(.*)$') and rev == revision then return status, body end
end
