-- Included where it counts whether rows may pass without another person's yes: what passed so of their buyers, and of who brought them
-- in, within so many days. Comes behind move.lua and above.lua.
-- @include waiting
-- @include people-passed
-- Of a buyer with more requests nobody can tell, and a person is asked.
local MOST_REQUESTS = 5000
local looked = 0

local function rootOf(portfolio)
  return string.match(portfolio, '^(.-):portfolio:')
end

local function add(limbs, more)
  for k, limb in pairs(more or {}) do limbs[k] = (limbs[k] or 0) + limb end
end

local function answeredBy(approval)
  return redis.call('HGET', approval, 'answeredBy') or ''
end

-- Whether a request of a buyer counts: it goes or went on, without another's yes, and was not answered before `since`. `own` is an
-- approval whose rows count while they wait for it.
local function hasPassed(root, name, since, own)
  local of, key = string.match(name, '^(.*)/(.*)$')
  local row, portfolio = root .. ':row:' .. of .. ':' .. key, root .. ':portfolio:' .. of
  local found = redis.call('HMGET', row, 'state', 'updated', 'approval')
  local state, approval = found[1], found[3]
  if not state then
    -- Of a row in an archive its call alone tells.
    local call = redis.call('HMGET', root .. ':call:limit:' .. key, 'row', 'at')
    return call[1] == name and tonumber(string.match(call[2] or '', '^%d+') or 0) >= since
  end
  if state == 'awaiting' and approval ~= own and standingOf(portfolio, approval) ~= 'granted' then
    local was = wasOf(row) or {}
    state, approval = was.state, was.approval
  end
  if not state or state == 'refused' or state == 'cancelled' or state == 'skipped' then return false end
  if state == 'done' and tonumber(found[2]) < since then return false end
  return not approval or answeredBy(approvalKey(portfolio, approval)) == ''
end

-- Adds what passed of a buyer to `limbs`. Answers false where there are too many requests.
local function addBuyer(limbs, root, buyer, days, own)
  local requests, since = root .. ':buyer:' .. buyer .. ':rows', nowMs() - days * ONE_DAY
  if redis.call('HLEN', requests) > MOST_REQUESTS then return false end
  local rows = redis.call('HGETALL', requests)
  looked = looked + #rows / 2
  for at = 1, #rows, 2 do
    if hasPassed(root, rows[at], since, own) then add(limbs, limbsOf(rows[at + 1])) end
  end
  return true
end

-- Adds what passed of a person, of the first day too, of which a part is within so many days.
local function addPerson(limbs, root, person, days)
  local today, fields = math.floor(nowMs() / ONE_DAY), redis.call('HGETALL', root .. ':passed:' .. person)
  for at = 1, days > 0 and #fields or 0, 2 do
    local day, k = string.match(fields[at], '^(%d+):(%-?%d+)$')
    if tonumber(day) >= today - days then addLimb(limbs, tonumber(k), fields[at + 1]) end
  end
end

-- Whether a row that ended may not pass by itself: answers the sum that is above its limit then, as { "buyer", "many" (of its requests) or
-- "person", name, limbs }.
-- `besides` has by buyer and person what is to pass with it, and gets it added.
local function overOf(portfolio, row, rule, besides)
  local root, found = rootOf(portfolio), redis.call('HMGET', row, 'request', 'approval')
  if not found[1] then return nil end
  local request, approval = cjson.decode(found[1]), found[2] and approvalKey(portfolio, found[2])
  if approval and answeredBy(approval) ~= '' then return nil end
  local function withThis(what)
    local limbs = {}
    besides[what] = besides[what] or {}
    add(besides[what], limbsOf(request.limit.requested_limit))
    add(limbs, besides[what])
    return limbs
  end
  if rule.above ~= '' and rule.days > 0 then
    local limbs = withThis('buyer ' .. request.buyer)
    if not addBuyer(limbs, root, request.buyer, rule.days) then return { 'many', request.name, {} } end
    if isAbove(limbs, rule.above) then return { 'buyer', request.name, limbs } end
  end
  for person in pairs(rule.person ~= '' and approval and peopleOf(approval) or {}) do
    local limbs = withThis('person ' .. person)
    addPerson(limbs, root, person, rule.days)
    if isAbove(limbs, rule.person) then return { 'person', person, limbs } end
  end
end

local function told(over)
  local words = { over[1], over[2] }
  for k, limb in pairs(over[3]) do
    words[#words + 1], words[#words + 2] = tostring(k), string.format('%.0f', limb)
  end
  return words
end
