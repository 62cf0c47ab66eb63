-- Takes names out of the search index that rows no longer have.
-- KEYS[1] the names   KEYS[2] the key of a row, less its name
-- ARGV entry, row key, digest of the row's request (SHA-1), "" where there is none, the words that it is searched by, entry …
-- Answers the row keys of those that were taken out.
-- @include index-entries
local names, begins = unpack(KEYS)
-- @include archived
local taken = {}
if isArchived(portfolioOfRow(begins)) then return taken end
for at = 1, #ARGV, 4 do
  local entry, key, digest, words = unpack(ARGV, at, at + 3)
  local request = redis.call('HGET', begins .. key, 'request')
  local isKnown = (request and redis.sha1hex(request) or '') == digest
  local isWrong = isKnown and (not request or nameEntry(words, key) ~= entry)
  if isWrong and redis.call('ZREM', names, entry) == 1 then taken[#taken + 1] = key end
end
return taken
