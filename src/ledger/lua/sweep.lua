-- Removes members of a set whose rows do not belong there (places.lua).
-- @keys account set
-- @args isSearch …members
-- isSearch: 1 if the set is a search index, else 0
-- members: member, portfolio and key of its row, SHA-1 of the row's request ("" for none), search words;
-- the last two are "" unless isSearch is 1 …
-- Answers the keys of the rows of the removed members.
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
