-- A person says what became of a row's call whose outcome is unknown: of the first one, since a row's calls go one after
-- another and nobody has spoken of a later one. A call of a held row that the ledger has forgotten was sent all the same; of
-- documents nobody can tell which.
-- @keys limits account …calls
-- Of the buyer; the calls of the row's step in their order.
-- @args id kind word by name asOf approval
-- id of what was made, or "" to let it be sent again; the word's own name, and who says it; name of the row that is spoken of,
-- "<portfolio>/<key>", or "" where it is none's; when the person looked, in ms, or "": nobody has said anything yet of a send that was lost
-- later; the approval in which another person said yes to this word, or "" where nobody was asked.
-- Answers "resolved" | "made" (answered meanwhile, all of them) | "not unknown" | "other" (another limit has this id) | "declined" (somebody
-- said no to a word on this call, and nobody yes since). Repeated, its name tells that it was done.
-- What may be sent again keeps the name of its first send, by which a service may know it.
-- @include doubts
-- @include made-ids
-- @include note-alike
-- @include approvals
local made = 0
-- The row that is spoken of may be another than the one for which the call was sent: both are told.
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
