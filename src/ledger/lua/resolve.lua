-- A person says what became of a row's call whose outcome is unknown: of the first one, since a row's calls go one after
-- another and nobody has spoken of a later one. A call of a held row that the ledger has forgotten was sent all the same; of
-- documents nobody can tell which.
-- KEYS[1] list of the buyer's limit ids   KEYS[2] the account   KEYS[3…] the calls of the row's step, in their order
-- ARGV[1] id of what was made, or "" to let it be sent again   ARGV[2] kind   ARGV[3] this word's own name
-- ARGV[4] who says it   ARGV[5] row that is spoken of, "<portfolio>/<key>", or "" where it is none's
-- ARGV[6] when the person looked, in ms, or "": nobody has said anything yet of a send that was lost later
-- ARGV[7] the approval in which another person said yes to this word, or "" where nobody was asked
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
  local told = { is = 'resolved', kind = ARGV[2], by = ARGV[4], made = ARGV[1] ~= '' and ARGV[1] or nil }
  local row, sender = rowNamed(ARGV[5], call), rowOfCall(call)
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if sender ~= row then tell(sender, now, cjson.encode(told)) end
  tell(row, now, cjson.encode(told))
end
for at = 3, #KEYS do
  local call = redis.call('HMGET', KEYS[at], 'state', 'word')
  if call[2] == ARGV[3] then return 'resolved' end
  if call[1] == 'made' then made = made + 1 end
end
for at = 3, #KEYS do
  local known = redis.call('HMGET', KEYS[at], 'state', 'lostAt', 'notedAt')
  local lostAt = tonumber(known[3] or known[2] or '')
  local isForgotten = not known[1] and ARGV[5] ~= '' and ARGV[2] ~= 'document'
  if known[1] == 'unknown' or isForgotten then
    local isLater = ARGV[6] ~= '' and lostAt and lostAt >= tonumber(ARGV[6])
    if isLater then return 'not unknown' end
    local portfolio = string.gsub(KEYS[2], 'account$', 'portfolio:')
    local yes = ARGV[7] ~= '' and redis.call('HGET', approvalKey(portfolio, ARGV[7]), 'turn')
    if noToAnswer(portfolio, KEYS[at], yes) then return 'declined' end
    local other = ARGV[1] ~= '' and takeId(KEYS[at], ARGV[1])
    if other and ARGV[2] == 'limit' then return 'other' end
    local root = string.gsub(KEYS[2], ':account$', '')
    if other and ARGV[2] == 'company' then noteCompany(root, string.match(KEYS[at], '[^:]*$'), ARGV[1]) end
    redis.call('HDEL', KEYS[at], 'owner')
    forgetDoubts(KEYS[at])
    redis.call('HSET', KEYS[at], 'word', ARGV[3])
    local asker = string.match(redis.call('HGET', KEYS[at], 'row') or ARGV[5], '^(.*)/')
    local of = asker and portfolio .. asker
    local isHere = of and redis.call('HEXISTS', of, 'archive') == 0
    if ARGV[1] == '' then
      redis.call('HSET', KEYS[at], 'state', 'free')
      if isHere then redis.call('HINCRBY', of, 'resent:' .. ARGV[2], 1) end
    else
      redis.call('HSET', KEYS[at], 'state', 'made', 'id', ARGV[1], 'record', '{}', 'by', 'a person')
      redis.call('HINCRBY', KEYS[2], 'made:' .. ARGV[2], 1)
      if isHere then redis.call('HINCRBY', of, 'made:' .. ARGV[2], 1) end
      if ARGV[2] == 'limit' then redis.call('RPUSH', KEYS[1], ARGV[1]) end
    end
    tellResolved(KEYS[at])
    return 'resolved'
  end
end
return made == #KEYS - 2 and 'made' or 'not unknown'
