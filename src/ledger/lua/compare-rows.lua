-- Compares rows with the sets and sums that contain them, and corrects what differs. Others may move a row before or after its comparison,
-- but not during it. sweep.lua removes set members without a row.
-- @keys account
-- @args name side …told
-- name: the portfolio's
-- side: the portfolio's hash of sums, "a" or "b", to which the rows are moved (change-side.lua). Nothing is moved if the portfolio has
-- switched to the other one meanwhile. "": the portfolio's present hash, to which rows of an older ledger are added
-- told: row key, SHA-1 of its request, its search words; time of writing of the row whose cause was found, that cause's id, the cause, id
-- of a coarser cause, that cause; or row key and seven times "" …
-- Answers six lists of row keys: { not in the set of their state, not in the set of their cause, not found by all search words, not in the
-- sums as they are, failed without a known cause, with another request by now },
-- and { number of rows compared, ids and numbers that they have, those of them that were added, names that were added }
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
-- @include note-cause
local NOW = nowText()
-- @include derive
-- @include change
-- @include places
local portfolio = portfolioOf(name)
local found = { state = {}, cause = {}, search = {}, row = {}, unknown = {}, others = {} }
local counts = { 0, 0, 0, 0 }

-- The cause of the row's failure, if it is known now and was not before.
local function learnedCause(row, at)
  if row.cause and redis.call('HEXISTS', portfolio.hash .. ':causes', row.cause) == 1 then return nil end
  if told[at + 4] == '' or told[at + 3] ~= laterOf(row, 'updated') then
    table.insert(found.unknown, row.key)
    return nil
  end
  return keepCause(portfolio.hash .. ':causes', unpack(told, at + 4, at + 7))
end

-- Puts a member into a set. Answers whether it was there already, with this score.
local function stands(set, member, score)
  local stood = redis.call('ZSCORE', set, member)
  if stood and tonumber(stood) == tonumber(score or 0) then return true end
  if redis.call('ZADD', set, score or 0, member) == 1 and set == namesOf(portfolio.hash) then counts[4] = counts[4] + 1 end
  return false
end

-- Whether the search index has this entry, at any level; adds it if not. The highest level comes first, since three of four entries came
-- when the portfolio had almost its present size.
local function isFoundBy(member, digest, level)
  for each = level, 0, -1 do
    if redis.call('ZSCORE', bucketOf(portfolio.hash, digest, each), member) then return true end
  end
  redis.call('ZADD', bucketOf(portfolio.hash, digest, level), 0, member)
  counts[3] = counts[3] + 1
  return false
end

local function comparePlaces(row, words, learned, tally)
  local places, ids, kinds = placesOf(row, words, tally)
  local lacks, level = { cause = learned }, levelOf(portfolio.hash) or 0
  for is, sets in pairs(places) do
    for set, members in pairs(sets) do
      for member, score in pairs(members) do lacks[is] = not stands(set, member, score) or lacks[is] end
    end
  end
  for member, digest in pairs(ids) do
    counts[2] = counts[2] + 1
    lacks.search = not isFoundBy(member, digest, level) or lacks.search
  end
  for _, kind in pairs(kinds) do redis.call('SADD', portfolio.hash .. ':columns', kind) end
  for is in pairs(lacks) do if lacks[is] then table.insert(found[is], row.key) end end
end

local function compare(row, at)
  local digest, words = told[at + 1], told[at + 2]
  if words ~= '' and redis.sha1hex(laterOf(row, 'request') or '') ~= digest then
    table.insert(found.others, row.key)
    words = ''
  end
  local learned = isFailedState(row.state) and learnedCause(row, at)
  local now = change(row, { cause = learned or nil }, nil, askedIn(laterOf(row, 'request')), portfolio.side == side and side or nil)
  local isTallied = row.tally and string.sub(now.tally, 2) == string.sub(row.tally, 2)
  if not isTallied and not learned then table.insert(found.row, row.key) end
  -- The search column is found by the row's old tally: if only the tally is wrong, the column is not reported as a second difference.
  comparePlaces(now, words, learned, shareIn(row.tally).side and row.tally)
end

for at = 1, portfolio.archive and 0 or #told, 8 do
  local row = rowOf(portfolio, told[at])
  if row and tonumber(row.line or '') then
    counts[1] = counts[1] + 1
    compare(row, at)
  end
end
writeGathered(NOW)
return { found.state, found.cause, found.search, found.row, found.unknown, found.others, counts }
