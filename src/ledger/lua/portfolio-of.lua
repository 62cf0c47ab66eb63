-- Included in scripts for many rows at once: each portfolio is read once, and changes to counters and sets are gathered and written at the
-- end, one command each (writeGathered). If a member of a set changes several times, the last change counts.
local ROOT = string.sub(KEYS[1], 1, -#':account' - 1)
local portfolios, counters = {}, {}

-- Some fields of a hash, by name.
local function fieldsOf(hash, names)
  local found, fields = redis.call('HMGET', hash, unpack(names)), {}
  for at = 1, #names do fields[names[at]] = found[at] end
  return fields
end

-- All fields of a hash, by name.
local function recordOf(hash)
  local found, fields = redis.call('HGETALL', hash), {}
  for at = 1, #found, 2 do fields[found[at]] = found[at + 1] end
  return fields
end

-- The error of a failed pcall, as Redis answers it: with its code, or ERR for an error of Lua itself.
local function faultOf(fault)
  local text = type(fault) == 'table' and fault.err or tostring(fault)
  return { err = string.match(text, '^%u+ ') and text or 'ERR ' .. text }
end

local function portfolioOf(name)
  local known = portfolios[name]
  if known then return known end
  local hash = ROOT .. ':portfolio:' .. name
  local found = redis.call('HMGET', hash, 'finished', 'importing', 'paused', 'first', 'cancels', 'archive', 'side', 'others',
    'canary:company', 'canary:documents', 'canary:limit', 'supplierBefore', 'supplierApproval', 'supplier')
  known = { name = name, hash = hash, rows = ROOT .. ':row:' .. name .. ':', finished = found[1], importing = found[2], paused = found[3],
    first = found[4], cancels = tonumber(found[5] or 0), archive = found[6], side = found[7] or 'a', others = found[8],
    ['canary:company'] = found[9], ['canary:documents'] = found[10], ['canary:limit'] = found[11],
    supplier = found[12] or not found[13] and found[14],
    sets = {}, kinds = {}, left = {}, causes = {}, columns = {}, granted = {} }
  portfolios[name] = known
  return known
end

-- Writes at once, so that later moves of this script see the new value.
local function noteOf(portfolio, field, value)
  if value then redis.call('HSET', portfolio.hash, field, value) else redis.call('HDEL', portfolio.hash, field) end
  portfolio[field] = value
end

local function pause(portfolio, why, now)
  if portfolio.paused then return end
  noteOf(portfolio, 'paused', why)
  noteOf(portfolio, 'pausedAt', now)
end

local function isGranted(portfolio, approval)
  local granted = portfolio.granted
  if granted[approval] == nil then granted[approval] = standingOf(portfolio.hash, approval) == 'granted' end
  return granted[approval]
end

-- The level of the portfolio's search index (index-entries.lua); false if it has none.
local function searchLevel(portfolio)
  if portfolio.level == nil then portfolio.level = levelOf(portfolio.hash) or false end
  return portfolio.level
end

local function add(hash, field, number)
  local fields = counters[hash]
  if not fields then
    fields = {}
    counters[hash] = fields
  end
  fields[field] = (fields[field] or 0) + number
end

-- Notes that a member is to be put into a set, or removed from it if `score` is false; writeGathered writes it.
local function stand(portfolio, name, score, member)
  local set = portfolio.sets[name]
  if not set then
    set = {}
    portfolio.sets[name] = set
  end
  set[member] = score
end

-- Whether a set has a member, changes that are not written yet included.
local function isIn(portfolio, name, member)
  local set = portfolio.sets[name]
  local score = set and set[member]
  if score == nil then return redis.call('ZSCORE', name, member) end
  return score
end

local function writeSet(name, members)
  local put, taken = {}, {}
  for member, score in pairs(members) do
    if score then
      put[#put + 1], put[#put + 2] = score, member
    else
      taken[#taken + 1] = member
    end
  end
  local added = #put > 0 and redis.pcall('ZADD', name, unpack(put)) or 0
  local gone = #taken > 0 and redis.pcall('ZREM', name, unpack(taken)) or 0
  return type(added) == 'table' and added or type(gone) == 'table' and gone or nil, added
end

-- Writes all gathered changes, and continues after a damaged key; a sum that fails is left to `reconcile`. Answers the errors, by
-- portfolio name.
local function writeGathered(now)
  local faults = {}
  local function try(name, ...)
    local answer = redis.pcall(...)
    faults[name] = faults[name] or type(answer) == 'table' and answer or nil
  end
  for hash, fields in pairs(counters) do
    for field, number in pairs(fields) do
      local is = number ~= 0 and redis.pcall('HINCRBY', hash, field, string.format('%.0f', number))
      if is == 0 then redis.call('HDEL', hash, field) end
    end
  end
  for name, portfolio in pairs(portfolios) do
    for set, members in pairs(portfolio.sets) do
      local fault, added = writeSet(set, members)
      faults[name] = faults[name] or fault
      if portfolio.kinds[set] and not fault and added > 0 then try(name, 'SADD', portfolio.hash .. ':columns', portfolio.kinds[set]) end
    end
    for cause in pairs(portfolio.left) do
      if redis.call('EXISTS', portfolio.hash .. ':cause:' .. cause) == 0 then try(name, 'HDEL', portfolio.hash .. ':causes', cause) end
    end
    if portfolio.opens or portfolio.ends then
      local isNoted, fault = pcall(noteFinish, portfolio.hash, now, portfolio.opens and not portfolio.ends, { portfolio.importing, portfolio.finished })
      if not isNoted then faults[name] = faults[name] or faultOf(fault) end
    end
  end
  return faults
end
