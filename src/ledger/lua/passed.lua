-- Included where rows may go without an approval, after move.lua and above.lua. For each buyer and each person who imports, it adds up the
-- rows that went without an approval within `days`.
-- `rule` is { above = limit for a buyer, person = limit for a person, each "" for none, days = … }.
-- @include approvals
-- @include people-passed
-- If buyers have more requests than this, all of them count without a look at each, which would keep Redis busy.
local MOST_REQUESTS = 500

local function rootOf(portfolio)
  return string.match(portfolio, '^(.-):portfolio:')
end

local function added(limbs, more)
  for k, limb in pairs(more or {}) do limbs[k] = (limbs[k] or 0) + limb end
  return limbs
end

-- The state, approval and other fields that a row had before it waited for an approval (approval-moves.lua).
local function wasOf(row)
  local was = redis.call('HGET', row, 'was')
  return was and cjson.decode(was) or nil
end

local function answeredBy(approval)
  return redis.call('HGET', approval, 'answeredBy') or ''
end

-- Whether a request counts: it is open or done without another person's yes, and was not done before `since`. Rows of `own`, an approval
-- being closed, count too, and rows of approvals that began closing before it (lower `ticket`): of several at once each counts the earlier.
local function hasPassed(root, name, since, own)
  local of, key = string.match(name, '^(.*)/(.*)$')
  local row, portfolio = root .. ':row:' .. of .. ':' .. key, root .. ':portfolio:' .. of
  local state, updated, approval, before = unpack(redis.call('HMGET', row, 'state', 'updated', 'approval', 'since'))
  if not state then
    -- The row is in an archive, so only its call tells whether and when it was sent.
    local call = redis.call('HMGET', root .. ':call:limit:' .. key, 'row', 'at')
    return call[1] == name and tonumber(string.match(call[2] or '', '^%d+') or 0) >= since
  end
  if state == 'awaiting' and approval ~= own.id then
    local known = redis.call('HMGET', approvalKey(portfolio, approval), 'standing', 'ticket')
    if known[1] ~= 'granted' and not (known[1] == 'open' and known[2] and tonumber(known[2]) < own.ticket) then
      local was = wasOf(row) or {}
      state, approval = was.state, was.approval
    end
  end
  if not state or OUT[state] or state == 'done' and tonumber(before or updated) < since then return false end
  return not approval or answeredBy(approvalKey(portfolio, approval)) == ''
end

-- The most buyers that may be one company and whose requests are added up. With more, the sum is left unknown, which spares Redis.
local MOST_ALIKE = 1000

-- A buyer and all buyers that may be the same company, sorted: the same list whichever of them is asked for. Each is linked to the buyer
-- that first had the shared name or number. Nil if there are too many.
local function alikeTo(root, buyer)
  local group, isIn, at = { buyer }, { [buyer] = true }, 1
  while group[at] do
    local alike = root .. ':buyer:' .. group[at] .. ':alike'
    if redis.call('SCARD', alike) > MOST_ALIKE then return nil end
    for _, other in ipairs(redis.call('SMEMBERS', alike)) do
      if not isIn[other] then group[#group + 1], isIn[other] = other, true end
    end
    if #group > MOST_ALIKE + 1 then return nil end
    at = at + 1
  end
  table.sort(group)
  return group
end

-- The sum of those requests of these buyers that count (hasPassed), plus the limbs `besides`, if that sum is above the limit. A rough sum
-- is made first, since most sums are far below.
local function buyersOver(root, group, rule, own, besides)
  local rows, roughly = {}, 0
  for _, buyer in ipairs(group) do
    local found = redis.call('HGETALL', root .. ':buyer:' .. buyer .. ':rows')
    for at = 1, #found, 2 do
      rows[#rows + 1] = { found[at], found[at + 1] }
      roughly = roughly + (tonumber(found[at + 1]) or math.huge)
    end
  end
  if roughly < rule.above * 0.999 then return nil end
  local limbs, since, seen = added({}, besides), nowMs() - rule.days * ONE_DAY, {}
  for _, row in ipairs(rows) do
    -- A request is made only once, however many portfolios contain it, so it counts once.
    local request = string.match(row[1], '[^/]*$') .. ' ' .. row[2]
    if not seen[request] and (#rows > MOST_REQUESTS or hasPassed(root, row[1], since, own)) then
      seen[request] = true
      added(limbs, limbsOf(row[2]))
    end
  end
  return isAbove(limbs, rule.above) and limbs
end

-- The sum of the rows that a person imported without approval, plus `besides`, as limbs, if it is above the limit; else false. The first
-- day counts whole, though only a part of it is within the window.
local function personOver(root, person, rule, besides)
  local limbs, fields = added({}, besides), redis.call('HGETALL', root .. ':passed:' .. person)
  for at = 1, rule.days > 0 and #fields or 0, 2 do
    local day, k = string.match(fields[at], '^(%d+):(%-?%d+)$')
    if tonumber(day) >= math.floor(nowMs() / ONE_DAY) - rule.days then addLimb(limbs, tonumber(k), fields[at + 1]) end
  end
  return isAbove(limbs, rule.person) and limbs
end

-- The sum that would be above its limit if an ended row went without an approval: { "buyer", "alike" or "person", name, k, limb, … }.
-- `besides`: sums, by buyer and person, of rows that go together with this row; this row is added to them.
local function overOf(portfolio, row, rule, besides)
  local root, found = rootOf(portfolio), redis.call('HMGET', row, 'request', 'approval')
  local approval = found[2] and approvalKey(portfolio, found[2])
  if not found[1] or approval and answeredBy(approval) ~= '' then return nil end
  local request = cjson.decode(found[1])
  local function withThis(what)
    besides[what] = added(besides[what] or {}, limbsOf(request.limit.requested_limit))
    return besides[what]
  end
  if rule.above ~= '' and rule.days > 0 then
    local group = alikeTo(root, request.buyer)
    if not group then return told('alike', request.name, {}) end
    local buyer = 'buyer ' .. group[1]
    local limbs = buyersOver(root, group, rule, { ticket = math.huge }, withThis(buyer))
    if limbs then return told('buyer', request.name, limbs) end
    -- All requests of the buyer together are below the limit, so no later row needs this sum.
    if limbs == nil then besides[buyer] = nil end
  end
  for person in pairs(rule.person ~= '' and approval and peopleOf(approval) or {}) do
    local limbs = personOver(root, person, rule, withThis('person ' .. person))
    if limbs then return told('person', person, limbs) end
  end
end
