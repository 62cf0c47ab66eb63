-- What many rows ask of the ledger at one moment, in one trip: to begin a step, to claim a call, to write down that one was made and move
-- its row on. Only where it goes as for most rows, with few commands and what they share looked up once. All else is left as it is and
-- answered by 0: it is then asked of the script of its own (begin.lua, claim.lua, settle.lua, advance.lua), which says the same of these
-- rows too; a test holds the two against one another.
-- KEYS[1] the account
-- ARGV for each item, one behind the other:
--   "begin", portfolio, row, row key, step
--   "claim", call, portfolio, row, owner, row's name, kind, revision, digest of what is sent, digest of what the line asked for,
--     number of the mark under which it is to leave or "", that mark
--   "end", call, the buyer's limits, portfolio, row, row key, row's name, owner, id, record, kind, revision,
--     state the worker saw, state it goes to ("" where it stays at its step), the canary's answer, refusals that pause,
--     granted, available, status, how many more values: field, value, … of the row,
--     call that is claimed behind it ("" for none), its owner, kind, digest, digest, number of its mark, mark
-- Answers for each item: of "begin" what begin.lua does, or 0; of "claim" 1 for "go", or 0; of "end" 1 where both were written,
--   2 where the call behind them is claimed too, or 0; -1 where the call was written down by this very owner before.
-- A row that somebody damaged is left to the scripts of their own as well, which say so. Where a set of a portfolio's rows is damaged, the
-- error is the answer to each item of that portfolio, and to no other.
-- @include move
-- @include gathered
-- @include plain-tally
-- @include index-entries
-- @include columns
-- @include approvals
-- @include made-ids
-- @include may-leave
local now = nowText()
local portfolios, ended = {}, {}

-- What is known of a portfolio; nothing of it is changed here but counters and, at the end, when it was finished.
local function portfolioOf(portfolio)
  local known = portfolios[portfolio]
  if known then return known end
  local found = redis.call('HMGET', portfolio, 'finished', 'paused', 'first', 'cancels', 'archive', 'canary:company',
    'canary:documents', 'canary:limit', 'others')
  known = { finished = found[1], paused = found[2], first = found[3], cancels = tonumber(found[4] or 0), archive = found[5],
    canary = { company = found[6], documents = found[7], limit = found[8] }, others = found[9], granted = {}, columns = {} }
  portfolios[portfolio] = known
  return known
end

local function isGranted(portfolio, approval)
  local granted = portfolioOf(portfolio).granted
  if granted[approval] == nil then granted[approval] = standingOf(portfolio, approval) == 'granted' end
  return granted[approval]
end

local function searchLevel(portfolio)
  local known = portfolioOf(portfolio)
  if known.level == nil then known.level = levelOf(portfolio) or false end
  return known.level
end

local function statusColumns(portfolio, status)
  local columns = portfolioOf(portfolio).columns
  if not columns[status] then columns[status] = columnsOfStatus(portfolio, status) end
  return columns[status]
end

-- @include plain-begin
-- @include plain-claim
-- @include plain-end
local function claimOne(call, portfolio, row, ...)
  return plainClaim(call, portfolio, redis.call('HMGET', row, 'state', 'gen', 'rev', 'approval'), ...) and 1 or 0
end

-- The values of one "end" begin behind `at`, and those of the row behind `fieldsAt`.
local function endOne(at, fieldsAt, nextAt)
  local call, limits, portfolio, row, key, name, owner, id, record, kind = unpack(ARGV, at + 1, at + 10)
  local revision, from, to, answer, refusals, granted, available, status = unpack(ARGV, at + 11, at + 18)
  local found = plainEnd(
    { call = call, limits = limits, portfolio = portfolio, row = row, key = key, name = name, owner = owner, id = id, record = record,
      kind = kind },
    { from = from, to = to, revision = revision, answer = answer, refusals = refusals, granted = granted, available = available,
      status = status },
    { unpack(ARGV, fieldsAt + 1, nextAt) })
  if not found then return isMadeBy(call, owner) and -1 or 0 end
  local nextCall, nextOwner, nextKind, words, asked, mark, link = unpack(ARGV, nextAt + 1, nextAt + 7)
  if nextCall == '' then return 1 end
  return plainClaim(nextCall, portfolio, found, nextOwner, name, nextKind, revision, words, asked, mark, link) and 2 or 1
end

local answers, asking, at = {}, {}, 1
while at <= #ARGV do
  local ask, isSaid, answer = ARGV[at], nil, nil
  asking[#asking + 1] = ARGV[at + (ask == 'begin' and 1 or ask == 'claim' and 2 or 3)]
  if ask == 'begin' then
    isSaid, answer = pcall(plainBegin, unpack(ARGV, at + 1, at + 4))
    at = at + 5
  elseif ask == 'claim' then
    isSaid, answer = pcall(claimOne, unpack(ARGV, at + 1, at + 11))
    at = at + 12
  else
    local fieldsAt = at + 19
    local nextAt = fieldsAt + ARGV[fieldsAt]
    isSaid, answer = pcall(endOne, at, fieldsAt, nextAt)
    at = nextAt + 8
  end
  if isSaid then keepPlain() else dropPlain() end
  answers[#answers + 1] = isSaid and answer or 0
end

local function answerFault(portfolio, fault)
  for place, asks in ipairs(asking) do
    if asks == portfolio then answers[place] = fault end
  end
end

for name, fault in pairs(writeGathered()) do answerFault(string.match(name, '^(.*):state:%a+$'), fault) end
for portfolio in pairs(ended) do
  local isNoted, fault = pcall(noteFinish, portfolio, now)
  if not isNoted then answerFault(portfolio, type(fault) == 'table' and fault or { err = 'ERR ' .. tostring(fault) }) end
end
return answers
