-- Lets some rows of an approval go as it was answered: granted ones wait for their step, declined ones are given up, or are again
-- what they were before somebody asked. Safe to run twice, and whoever comes next goes on with it. Answers to held calls that
-- were granted are carried out one by one (restore-row.lua), and not here.
-- KEYS[1] the portfolio   KEYS[2] the approval   KEYS[3] its rows   KEYS[4] what was answered and is not carried out yet
-- ARGV[1] its id   ARGV[2] the portfolio's name   ARGV[3] what the keys of its rows begin with   ARGV[4…] keys of rows
-- Answers how many rows are left.
-- @include archived
-- @include move
-- @include cancelled
-- @include tally
-- @include go-back
-- @include tell
local portfolio, approval, rows, answered = unpack(KEYS)
local id, name, begins = unpack(ARGV, 1, 3)
local archived = archivedError(portfolio)
if archived then return archived end
local known = redis.call('HMGET', approval, 'standing', 'kind', 'answeredBy', 'words', 'turn', 'supplier')
local isGranted = known[1] == 'granted'
local isAnswered = isGranted or known[1] == 'declined' or known[1] == 'void'
local now = nowMs()

-- Of all rows of an import none says it again.
local told = { is = isGranted and 'approved' or 'declined', by = known[3] or '', words = known[4] or nil }
local function free(row, key, line)
  -- It needs another approval from now on, whatever settings ask for. A held one is held, and its call waits for another word.
  local request = requestOf(portfolio, key)
  local of = redis.call('HMGET', request, 'state', 'declined', 'yes')
  local isNo = known[1] == 'declined' and known[2] ~= 'answer' and isLaterThan(portfolio, id, of[3])
  if isNo and of[1] ~= 'made' then
    redis.call('HSET', request, 'declined', id)
    -- Who is asked for it elsewhere has to see that before a yes: the digest changes.
    for other in string.gmatch(redis.call('HGET', request, 'asks') or '', '%S+') do
      local asked = approvalKey(portfolio, other)
      if other ~= id and standingOf(portfolio, other) == 'waiting' then redis.call('HSET', asked, 'redone', noOf(portfolio, id), 'moves', redis.call('HINCRBY', asked, 'moves', 1)) end
    end
  end
  local was = known[1] == 'declined' and known[2] == 'answer' and wasOf(row) or {}
  if was.of then redis.call('HSET', callSaid(portfolio, was.of), 'answerDeclined', id) end
  if known[2] ~= 'import' then tell(row, now, cjson.encode(told)) end
  if isGranted and not isCancelled(portfolio, row) then
    moveRow(portfolio, row, key, 'awaiting', 'queued', line, now)
    bindRow(row, id)
    -- A sum below the limit is nobody's yes, and a no that was said later is not taken back by one.
    if (known[3] or '') ~= '' then
      if tonumber(known[5] or 0) > tonumber(of[3] or 0) then redis.call('HSET', request, 'yes', known[5]) end
      if of[2] and not isLaterThan(portfolio, of[2], known[5] or 0) then redis.call('HDEL', request, 'declined') end
    end
    forgetTries(row)
    if known[2] == 'retry' then redis.call('HINCRBY', portfolio, 'reopened', 1) end
  elseif not goBack(portfolio, row, key, line, now) then
    moveRow(portfolio, row, key, 'awaiting', 'cancelled', line, now)
    local why = (known[3] or '') == '' and 'not approved' or 'declined ' .. noOf(portfolio, id)
    if not isGranted then redis.call('HSET', row, 'problem', cjson.encode({ step = 'limit', message = why })) end
  end
  tallyRow(portfolio, row, key)
end

for at = 4, isAnswered and not (isGranted and known[2] == 'answer') and #ARGV or 0 do
  local key = ARGV[at]
  local found = redis.call('HMGET', begins .. key, 'state', 'line', 'approval')
  if found[1] == 'awaiting' and found[3] == id then free(begins .. key, key, found[2]) else redis.call('ZREM', rows, key) end
end
if known[1] == 'declined' and known[2] == 'answer' and known[6] then
  redis.call('HSET', callOfSupplier(portfolio, known[6]), 'answerDeclined', id)
end
local left = redis.call('ZCARD', rows)
if left == 0 and isAnswered then redis.call('ZREM', answered, name .. '/' .. id) end
noteFinish(portfolio, now)
return left
