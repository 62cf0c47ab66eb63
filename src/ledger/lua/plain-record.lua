-- Included where a portfolio is forgotten, or an answer comes for one that was.

-- A call's record, as JSON, without its texts: amounts, times, and a status of one word remain. A sentence may name a person.
local function plainRecord(text)
  local isRead, record = pcall(cjson.decode, text)
  if not isRead or type(record) ~= 'table' then record = {} end
  local kept = {}
  for _, field in ipairs({ 'total_limit', 'available_limit' }) do
    local value = record[field]
    if type(value) == 'string' and string.match(value, '^-?[%d.eE+-]+$') then kept[field] = value end
  end
  local created, status = record.created, record.status
  if type(created) == 'string' and string.match(created, '^[%d:.TZ+-]+$') then kept.created = created end
  if type(record.decided_at) == 'string' then kept.decided_at = record.decided_at end
  if type(status) == 'string' and #status <= 32 and string.match(status, '^[a-z_]+$') then kept.status = status end
  return cjson.encode(kept)
end

-- Whether a portfolio with this archive state, as JSON or false, is being forgotten or was.
local function isForgotten(archive)
  return archive and string.find(archive, '"is":"forg', 1, true) ~= nil
end
