-- Finds which rows of requests are in Redis, or may come back from an archive.
-- @keys account
-- @args …items
-- For each request: its key, its buyer or "", how many rows are named, and their names ("<portfolio>/<key>")
-- Answers for each request the names of its rows that are in Redis, or may come back from an archive, out of the named rows and all
-- rows of the buyer; or 0 if the buyer has more requests than are read.
-- @include portfolio-of
local MOST_OF_BUYER = 100

local function isThere(name, key)
  local portfolio, of = string.match(name, '^(.*)/(.*)$')
  if of ~= key then return false end
  if redis.call('EXISTS', ROOT .. ':row:' .. portfolio .. ':' .. key) == 1 then return true end
  local archive = redis.call('HGET', ROOT .. ':portfolio:' .. portfolio, 'archive')
  return archive and cjson.decode(archive).is ~= 'forgotten'
end

local function rowsOf(key, buyer, names)
  local requests = ROOT .. ':buyer:' .. buyer .. ':rows'
  if buyer ~= '' then
    if redis.call('HLEN', requests) > MOST_OF_BUYER then return 0 end
    for _, name in ipairs(redis.call('HKEYS', requests)) do names[#names + 1] = name end
  end
  local there, isKnown = {}, {}
  for _, name in ipairs(names) do
    if not isKnown[name] and isThere(name, key) then there[#there + 1] = name end
    isKnown[name] = true
  end
  return there
end

local answers, at = {}, 1
while at <= #items do
  local names = { unpack(items, at + 3, at + 2 + items[at + 2]) }
  local isRead, answer = pcall(rowsOf, items[at], items[at + 1], names)
  answers[#answers + 1] = isRead and answer or faultOf(answer)
  at = at + 3 + items[at + 2]
end
return answers
