-- Takes out of a bucket or a column (index-entries.lua, columns.lua) what is not so of the rows. Without rows it only tells which rows it has.
-- KEYS[1] the portfolio   KEYS[2] the key of a row, less its name   KEYS[3] the set   ARGV[1] "id" | "column"
-- ARGV[2…] row key, digest of its request (SHA-1), "" where there is none, the words that it is searched by, row key …
-- Answers row keys, each once; with rows, those of the entries that were taken out.
-- @include index-row
local portfolio, begins, set = unpack(KEYS)
local kind = ARGV[1]
-- @include archived
if isArchived(portfolio) then return {} end

-- The row of an entry, and what of it may be wrong.
local function parted(entry)
  if kind == 'id' then return string.sub(entry, 7), string.sub(entry, 1, 6) end
  return entry, set
end

local function isSo(row, key, words, what)
  local place = placeOf(row)
  if kind == 'column' then return columnOf(portfolio, place) == what end
  takeWords(place, words)
  for digest in pairs(place.ids) do
    if packed(digest) == what then return true end
  end
  return false
end

local entries = redis.call('ZRANGE', set, 0, -1)
if #ARGV == 1 then
  local answer, isKnown = {}, {}
  for _, entry in ipairs(entries) do
    local key = parted(entry)
    if not isKnown[key] then
      isKnown[key] = true
      answer[#answer + 1] = key
    end
  end
  return answer
end

local rows = {}
for at = 2, #ARGV, 3 do rows[ARGV[at]] = { digest = ARGV[at + 1], words = ARGV[at + 2] } end
local taken = {}
for _, entry in ipairs(entries) do
  local key, what = parted(entry)
  local known = rows[key]
  local request = known and redis.call('HGET', begins .. key, 'request')
  local digest = request and redis.sha1hex(request) or ''
  if known and known.digest == digest and not (request and isSo(begins .. key, key, known.words, what)) then
    redis.call('ZREM', set, entry)
    taken[#taken + 1] = key
  end
end
return taken
