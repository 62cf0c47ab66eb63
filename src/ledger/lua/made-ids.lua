-- Included where it counts which call made an id. Ids are known for good, whatever becomes of the rows that show them. They stand in
-- 16,384 hashes a kind, each small enough for Redis to keep it without pointers: id → key of the call.
local function madeIdsOf(call, id)
  local at = string.find(call, ':call:', 1, true)
  local colon = string.find(call, ':', at + 6, true)
  local bucket = tonumber(string.sub(redis.sha1hex(id), 1, 4), 16) % 16384
  return string.sub(call, 1, at) .. 'made:' .. string.sub(call, at + 6, colon) .. bucket, string.sub(call, colon + 1)
end

-- Notes that this call made the id. Answers the key of the call that had made it before, where that is another one, since the service may
-- know a company or a document already; or "" where lines gave this company (note-alike.lua).
local function takeId(call, id)
  local ids, key = madeIdsOf(call, id)
  local first = redis.call('HSETNX', ids, id, key) == 0 and redis.call('HGET', ids, id) or key
  if first ~= key then return first end
  local root = string.match(call, '^(.-):call:company:')
  return root and redis.call('EXISTS', root .. ':buyer:' .. id .. ':alike') == 1 and '' or nil
end

-- For which row another call made something.
local function rowOfOther(call, key)
  return redis.call('HGET', string.match(call, '^(.-:call:%l+:)') .. key, 'row') or ''
end
