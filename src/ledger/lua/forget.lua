-- Takes what may be said of people out of what a portfolio has left in Redis, a part of it at a time. Heard twice it finds nothing else.
-- @keys noted …places
-- noted: the digests of files that the portfolio named, where it is about rows, else the version of what is known of buyers; places: what is
-- looked at.
-- @args part …told
-- Which part, and what that takes.
-- Answers what is said of each part.
local parts = {}

-- Takes rows out, and their stories, and notes first which documents in the data folder they named. Answers how many rows that were.
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

-- Amounts, times, and a status of one word: numbers of the books. A sentence may name anybody.
local function plain(record)
  local kept = {}
  for _, field in ipairs({ 'total_limit', 'available_limit' }) do
    local value = record[field]
    if type(value) == 'string' and string.match(value, '^-?[%d.eE+-]+$') then kept[field] = value end
  end
  local created, status = record.created, record.status
  if type(created) == 'string' and string.match(created, '^[%d:.TZ+-]+$') then kept.created = created end
  if type(status) == 'string' and #status <= 32 and string.match(status, '^[a-z_]+$') then kept.status = status end
  return cjson.encode(kept)
end

-- Takes out of calls that the portfolio asked for last what may be said of people, and of the answer its words. What keeps a thing from being
-- made twice stays. Takes what the names of its rows begin with, "<portfolio>/", and the fields. Answers the ids of what these calls made.
function parts.calls(rows, ...)
  local ids = {}
  for _, call in ipairs(places) do
    local row, record = unpack(redis.call('HMGET', call, 'row', 'record'))
    if string.sub(row or '', 1, #rows) == rows then
      redis.call('HDEL', call, ...)
      if record then
        local isRead, known = pcall(cjson.decode, record)
        redis.call('HSET', call, 'record', plain(isRead and type(known) == 'table' and known or {}))
      end
      for _, id in ipairs(redis.call('HMGET', call, 'id', 'again')) do
        if id then ids[#ids + 1] = id end
      end
    end
  end
  return ids
end

-- Finds those buyers that the portfolio brought, or asks for, and changes nothing. Takes its name, and how many requests of a buyer are looked
-- through; one with more is told in any case. Answers { place, what is known of it, place, … }: places begin with 1.
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

-- Writes what is left of buyers, each if what is known of it is still what was known when that was decided. Takes what was known and what
-- is to be, of each. Answers how many are as they were to be; the others were changed meanwhile, and stay as they are.
function parts.buyers(...)
  local texts, written, changed = { ... }, 0, false
  for at, buyer in ipairs(places) do
    local was, is, known = texts[at * 2 - 1], texts[at * 2], redis.call('GET', buyer)
    if known == was and was ~= is then
      redis.call('SET', buyer, is)
      changed = true
    end
    if known == was or known == is then written = written + 1 end
  end
  -- Whoever decides about a line by what was known reads again.
  if changed then redis.call('INCR', noted) end
  return written
end

return parts[part](unpack(told))
