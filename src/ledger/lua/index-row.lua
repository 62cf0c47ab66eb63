-- Included where what a row is searched by is compared with the indexes (index-entries.lua).
-- @include index-entries
-- @include columns
-- What a row's place in the indexes goes by, less its words.
local function placeOf(row)
  local found = redis.call('HMGET', row, 'line', 'tally', 'company', 'documents', 'limit')
  local place = { line = tonumber(found[1] or 0) or 0, ids = {} }
  local tally = found[2] or ''
  local status = string.match(tally, '^[ab]|%a+|[^|]*|[^|]*|[^|]*|%d?|[^|]*|(.*)$') or ''
  place.amount = amountOf(tally)
  place.status = status
  for _, id in ipairs({ found[3] or '', found[5] or '' }) do
    if id ~= '' then place.ids[digestOfId(id)] = true end
  end
  for id in string.gmatch(found[4] or '', '[^|]+') do place.ids[digestOfId(id)] = true end
  return place
end

-- Puts the digests of words to those of a place, and answers the name.
local function takeWords(place, words)
  local digests, name = string.match(words, '^([%x ]*)\n(.*)$')
  for digest in string.gmatch(digests or '', '%x+') do place.ids[digest] = true end
  return name or ''
end
