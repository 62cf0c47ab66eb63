-- Writes a person's answer to a row's call whose outcome is unknown. It goes to the first such call, since a row's calls are sent in order.
-- A held row's call that is missing in the ledger was sent all the same; for documents nobody can tell which of them.
-- @keys limits account …calls
-- limits: the buyer's list; calls: those of the row's step, in order.
-- @args id kind word by name asOf approval
-- id: of what was made, or "" to let it be sent again; word: the answer's own name; by: who answers; name: "<portfolio>/<key>" of the row
-- meant, or "" for none; asOf: when the person looked, in ms, or "": the answer does not cover a send that was lost later; approval: the
-- one in which another person approved the answer, or "" if none was needed.
-- Answers "resolved" | "made" (all are answered by now) | "not unknown" | "other" (another limit has this id) | "declined" (somebody
-- declined an answer to this call, and nobody approved one since). A repetition is recognized by `word`.
-- A call to be sent again keeps the owner of its first send, by which a service may recognize it.
-- @include doubts
-- @include made-ids
-- @include approvals
local made = 0
-- Writes to the histories of both the row meant and the row for which the call was sent, which may differ.
local function tellResolved(call)
  local time = redis.call('TIME')
  local told = { is = 'resolved', kind = kind, by = by, made = id ~= '' and id or nil }
  local row, sender = rowNamed(name, call), rowOfCall(call)
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if sender ~= row then tell(sender, now, cjson.encode(told)) end
  tell(row, now, cjson.encode(told))
end
for _, call in ipairs(calls) do
  local known = redis.call('HMGET', call, 'state', 'word')
  if known[2] == word then return 'resolved' end
  if known[1] == 'made' then made = made + 1 end
end
for _, call in ipairs(calls) do
  local known = redis.call('HMGET', call, 'state', 'lostAt', 'notedAt')
  local lostAt = tonumber(known[3] or known[2] or '')
  local isForgotten = not known[1] and name ~= '' and kind ~= 'document'
  if known[1] == 'unknown' or isForgotten then
    local isLater = asOf ~= '' and lostAt and lostAt >= tonumber(asOf)
    if isLater then return 'not unknown' end
    local portfolio = string.gsub(account, 'account$', 'portfolio:')
    local yes = approval ~= '' and redis.call('HGET', approvalKey(portfolio, approval), 'turn')
    if noToAnswer(portfolio, call, yes) then return 'declined' end
    local other = id ~= '' and takeId(call, id)
    if other and kind == 'limit' then return 'other' end
    local root = string.gsub(account, ':account$', '')
    if other and kind == 'company' then noteCompany(root, string.match(call, '[^:]*$'), id) end
    redis.call('HDEL', call, 'owner')
    forgetDoubts(call)
    redis.call('HSET', call, 'word', word)
    local asker = string.match(redis.call('HGET', call, 'row') or name, '^(.*)/')
    local of = asker and portfolio .. asker
    local isHere = of and redis.call('HEXISTS', of, 'archive') == 0
    if id == '' then
      redis.call('HSET', call, 'state', 'free')
      if isHere then redis.call('HINCRBY', of, 'resent:' .. kind, 1) end
    else
      redis.call('HSET', call, 'state', 'made', 'id', id, 'record', '{}', 'by', 'a person')
      redis.call('HINCRBY', account, 'made:' .. kind, 1)
      if isHere then redis.call('HINCRBY', of, 'made:' .. kind, 1) end
      if kind == 'limit' then redis.call('RPUSH', limits, id) end
    end
    tellResolved(call)
    return 'resolved'
  end
end
return made == #calls and 'made' or 'not unknown'
