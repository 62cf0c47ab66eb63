-- Takes out of calls that a portfolio asked for last whatever may have been said of people: what was heard, and words of the answer.
-- What keeps a thing from being made twice stays: that it was made, under which id, when, for which row, and digests of what was sent.
-- @keys …calls
-- @args begins fields
-- begins: what the names of the portfolio's rows begin with, "<portfolio>/"; fields: those that stay, with a space between.
-- Answers the ids of what these calls made. Heard twice it finds nothing else to take out.
local stays = { record = true }
for field in string.gmatch(fields, '%S+') do stays[field] = true end
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
local ids = {}
for _, call in ipairs(calls) do
  local row = redis.call('HGET', call, 'row') or ''
  if string.sub(row, 1, #begins) == begins then
    for _, field in ipairs(redis.call('HKEYS', call)) do
      if not stays[field] then redis.call('HDEL', call, field) end
    end
    local record = redis.call('HGET', call, 'record')
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
