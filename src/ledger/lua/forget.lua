-- Deletes personal data of a portfolio from Redis, one part at a time. Running it twice is harmless.
-- @keys noted …places
-- noted: for rows the set of digests of the files that the portfolio named; for buyers the version of their records. places: the keys
-- to work on.
-- @args part …told
-- The part, one of `parts` below, and its arguments.
-- Answers what the comment at each part says.
-- @include buyer-words
-- @include plain-record
local parts = {}

-- Deletes rows and their histories, and first notes the digests of their documents. Answers how many rows there were.
function parts.rows()
  local rows = 0
  for _, key in ipairs(places) do
    if string.sub(key, -6) ~= ':story' then
      local request = redis.call('HGET', key, 'request')
      for digest in string.gmatch(request or '', '"sha256":"(%x+)"') do redis.call('SADD', noted, digest) end
      if request then rows = rows + 1 end
    end
    redis.call('UNLINK', key)
  end
  return rows
end

-- Deletes personal fields of calls that were last claimed for the portfolio, and texts of their responses. The fields that keep a thing
-- from being made twice stay. Takes "<portfolio>/" and the fields. Answers the ids of what these calls made.
function parts.calls(rows, ...)
  local ids = {}
  for _, call in ipairs(places) do
    local row, record = unpack(redis.call('HMGET', call, 'row', 'record'))
    if string.sub(row or '', 1, #rows) == rows then
      redis.call('HDEL', call, ...)
      if record then redis.call('HSET', call, 'record', plainRecord(record)) end
      for _, id in ipairs(redis.call('HMGET', call, 'id', 'again')) do
        if id then ids[#ids + 1] = id end
      end
    end
  end
  return ids
end

-- Finds buyers that came with the portfolio or of which it has requests; changes nothing. Takes its name, and the most requests of a
-- buyer to search; a buyer with more is always found. Answers { index from 1, record, index, … }.
parts['buyers of'] = function(portfolio, most)
  local found, quoted, begins = {}, cjson.encode(portfolio), portfolio .. '/'
  local function asksFor(rows)
    if redis.call('HLEN', rows) > tonumber(most) then return true end
    for _, row in ipairs(redis.call('HKEYS', rows)) do
      if string.sub(row, 1, #begins) == begins then return true end
    end
    return false
  end
  for at, buyer in ipairs(places) do
    local known = redis.call('GET', buyer)
    if known and (string.find(known, quoted, 1, true) or asksFor(buyer .. ':rows')) then
      found[#found + 1], found[#found + 2] = at, known
    end
  end
  return found
end

-- Writes the remaining records of buyers, unless a record was changed since the caller read it. Takes the old and the new record of each
-- buyer. Answers how many buyers have the new record.
function parts.buyers(...)
  local texts, written, changed = { ... }, 0, false
  for at, buyer in ipairs(places) do
    local was, is, known = texts[at * 2 - 1], texts[at * 2], redis.call('GET', buyer)
    if known == was and was ~= is then
      writeBuyer(buyer, is)
      changed = true
    end
    if known == was or known == is then written = written + 1 end
  end
  -- The raised version makes processes that decide by the records of buyers read them again.
  if changed then redis.call('INCR', noted) end
  return written
end

return parts[part](unpack(told))
