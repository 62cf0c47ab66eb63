-- Included where many rows are served at once: what they change of the same counters and of the same sets goes as one command for
-- all of them, at the end (writeGathered).
local counters, sets = {}, {}

local function addPlain(hash, field, number)
  local fields = counters[hash]
  if not fields then
    fields = {}
    counters[hash] = fields
  end
  fields[field] = (fields[field] or 0) + number
end

local function setNamed(name)
  local set = sets[name]
  if not set then
    set = { put = {}, taken = {} }
    sets[name] = set
  end
  return set
end

local function putInto(name, score, member)
  local put = setNamed(name).put
  local at = #put
  put[at + 1], put[at + 2] = score, member
end

local function takeFrom(name, member)
  local taken = setNamed(name).taken
  taken[#taken + 1] = member
end

-- Rows go forward here and never back, so what was taken out of a set was put into it before. All of it is tried, whatever key somebody
-- damaged; a sum that cannot be counted is left to reconcile (add-plain.lua). Answers the error of a set, if any.
local function writeGathered()
  local fault
  for hash, fields in pairs(counters) do
    for field, number in pairs(fields) do
      local is = number ~= 0 and redis.pcall('HINCRBY', hash, field, string.format('%.0f', number))
      if is == 0 then redis.call('HDEL', hash, field) end
    end
  end
  for name, set in pairs(sets) do
    local put = #set.put > 0 and redis.pcall('ZADD', name, unpack(set.put))
    local taken = #set.taken > 0 and redis.pcall('ZREM', name, unpack(set.taken))
    for _, answer in ipairs({ put, taken }) do
      if type(answer) == 'table' and answer.err then fault = answer end
    end
  end
  return fault
end
