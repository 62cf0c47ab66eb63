-- Renames an account's keys from before format 5. Processes of older versions then find nothing that they could send.
-- The list of all portfolios, which such a process writes first, becomes a text, so that its write fails. The key of each portfolio becomes
-- a text, too: a process that slept with rows in hand reads this key before it sends, and would find no call of these rows.
-- In format 5 a person's refusal belongs to the request, and the call that made an id is kept for good: both are carried over.
-- @keys new old
-- Keys: new and old: the beginnings of the account's keys now and before.
-- @args cursor count pattern mark
-- cursor: of the walk over all keys; count: keys visited; pattern: of the old keys; mark: the text for old processes.
-- @any-format
-- Answers { next cursor, "0" at the end, keys moved }. Run twice, or by two processes, it moves each key once.
-- @include made-ids

-- Notes a refusal at a call, which has its old or its new name at this moment.
local function noteDeclined(kind, key, approval)
  local call = old .. ':call:' .. kind .. ':' .. key
  if redis.call('EXISTS', call) == 0 then call = new .. ':call:' .. kind .. ':' .. key end
  if redis.call('HGET', call, 'state') ~= 'made' then redis.call('HSET', call, 'declined', approval) end
end

local function carryOver(key, rest)
  local row = string.match(rest, '^:row:[^:]+:([^:]+)$')
  if row then
    local declined = redis.call('HGET', key, 'declined')
    if declined then noteDeclined('limit', row, declined) end
  elseif string.match(rest, '^:portfolio:[^:]+$') then
    local supplier = cjson.decode(redis.call('HGET', key, 'supplier') or '{}')
    if supplier.declined and supplier.key then noteDeclined('company', supplier.key, supplier.declined) end
  elseif string.match(rest, '^:call:%l+:') then
    local call = redis.call('HMGET', key, 'state', 'id', 'again')
    if call[1] == 'made' and call[2] then takeId(new .. rest, call[2]) end
    if call[3] then takeId(new .. rest, call[3]) end
  end
end

local found = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', count)
local moved = 0
for _, key in ipairs(found[2]) do
  local rest = string.sub(key, #old + 1)
  local isMoved = string.sub(key, 1, #new + 1) == new .. ':' or rest == ':format'
  local isRead = rest == ':portfolios' or string.match(rest, '^:portfolio:[^:]+$')
  if isRead and redis.call('TYPE', key).ok == 'string' then isMoved = true end
  if not isMoved then
    carryOver(key, rest)
    redis.call('RENAME', key, new .. rest)
    if isRead then redis.call('SET', key, mark) end
    moved = moved + 1
  end
end
return { found[1], moved }
