-- Included where many rows are served at once: what they change of the same counters and of the same sets goes as one command for
-- all of them, at the end (writeGathered). What is added for a row counts once that is written (keepPlain); nothing of it where the row
-- turned out to be damaged before (dropPlain).
local counters, sets, added = {}, {}, {}

local function addPlain(hash, field, number)
  local at = #added
  added[at + 1], added[at + 2], added[at + 3] = hash, field, number
end

local function dropPlain()
  if #added > 0 then added = {} end
end

local function keepPlain()
  for at = 1, #added, 3 do
    local hash, field = added[at], added[at + 1]
    local fields = counters[hash]
    if not fields then
      fields = {}
      counters[hash] = fields
    end
    fields[field] = (fields[field] or 0) + added[at + 2]
  end
  dropPlain()
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
-- damaged; a sum that cannot be counted is left to reconcile (add-plain.lua). Answers the errors of sets, by their names.
local function writeGathered()
  local faults = {}
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
      if type(answer) == 'table' and answer.err then faults[name] = answer end
    end
  end
  return faults
end
