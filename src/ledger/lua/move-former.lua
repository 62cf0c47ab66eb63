-- Moves keys of an account from where versions before format 5 look for them: by other names, those see nothing that they could send.
-- What such a version would write first is in their way: the list of all portfolios is a text there from then on.
-- What a person said no to belongs to the request from format 5 on, and which call made an id is known for good.
-- @keys new old
-- What the keys of the account begin with now, and before.
-- @args cursor count pattern mark
-- cursor: where the walk over all keys is; count: keys looked at; pattern: of those of before; mark: what old processes find.
-- @any-format
-- Answers { where the walk goes on, "0" at its end, how many keys were moved }. Sent twice, or by two processes, it moves each once.
-- @include made-ids

-- A call is written where it stands at this moment.
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
  if rest == ':portfolios' and redis.call('TYPE', key).ok == 'string' then isMoved = true end
  if not isMoved then
    carryOver(key, rest)
    redis.call('RENAME', key, new .. rest)
    if rest == ':portfolios' then redis.call('SET', key, mark) end
    moved = moved + 1
  end
end
return { found[1], moved }
