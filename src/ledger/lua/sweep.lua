-- Takes out of a set what does not stand there by the rows (places.lua).
-- @keys account set
-- @args isSearch …members
-- isSearch: 1 where rows are searched by the set, else 0
-- members: member, its row's portfolio and key, digest of the row's request (SHA-1), "" where there is none, the words that it is searched by;
-- these two "" where it is no set of the search …
-- Answers the keys of the rows of those that were taken out.
-- @include schema
-- @include move
-- @include approvals
-- @include index-entries
-- @include portfolio-of
local NOW = nowText()
-- @include derive
-- @include places
local taken = {}

local function isSo(row, member, words)
  local places, ids = placesOf(row, words)
  for _, sets in pairs(places) do
    if sets[set] and sets[set][member] ~= nil then return true end
  end
  return ids[member] ~= nil
end

for at = 1, #members, 5 do
  local member, name, key, digest, words = unpack(members, at, at + 4)
  local portfolio = portfolioOf(name)
  local row = rowOf(portfolio, key)
  local request = isSearch == '1' and row and laterOf(row, 'request')
  local isKnown = (request and redis.sha1hex(request) or '') == digest
  local isWrong = not portfolio.archive and isKnown and not (row and isSo(row, member, words))
  if isWrong and redis.call('ZREM', set, member) == 1 then taken[#taken + 1] = key end
end
return taken
