-- Included by trip.lua: what claim.lua does for a call that nobody has ever asked for, of a row that goes on. `found` of the row: its
-- state, generation, revision and approval. Answers whether it is claimed.
local function plainClaim(call, portfolio, found, owner, name, kind, revision, words, asked, mark, link)
  local request = requestOf(portfolio, string.sub(name, string.find(name, '/', 1, true) + 1))
  local known, approval = portfolioOf(portfolio), found[4]
  if not found[1] or found[1] == 'cancelled' or found[1] == 'refused' or tonumber(found[2] or 0) < known.cancels then return false end
  if known.archive or known.paused or (found[3] or '0') ~= revision then return false end
  if approval and not isGranted(portfolio, approval) then return false end
  local of = redis.call('HMGET', request, 'declined', 'asks', 'state')
  if of[1] or of[2] then return false end
  if call == request and of[3] or call ~= request and redis.call('EXISTS', call) == 1 then return false end
  if not mayLeave(string.gsub(KEYS[1], 'account$', 'marks'), mark, link) then return false end
  redis.call('HSET', call, 'state', 'claimed', 'owner', owner, 'row', name, 'first', owner, 'words', words, 'asked', asked, 'at', now,
    'sends', '1')
  addPlain(portfolio, 'calls:' .. kind, 1)
  return true
end
