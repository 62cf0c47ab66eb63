-- Included where it counts whether rows may pass without another person's yes: what passed so of their buyers, and of who brought them
-- in, within so many days. Comes behind move.lua and above.lua.
-- `rule` is { above = limit for a buyer, person = limit for a person, each "" for none, days = … }.
-- @include approvals
-- @include people-passed
-- Of a buyer with more requests not each is looked at, which would keep Redis busy: all count.
local MOST_REQUESTS = 500

local function rootOf(portfolio)
  return string.match(portfolio, '^(.-):portfolio:')
end

local function added(limbs, more)
  for k, limb in pairs(more or {}) do limbs[k] = (limbs[k] or 0) + limb end
  return limbs
end

-- What a row was before it waited for an approval (approval-moves.lua).
local function wasOf(row)
  local was = redis.call('HGET', row, 'was')
  return was and cjson.decode(was) or nil
end

local function answeredBy(approval)
  return redis.call('HGET', approval, 'answeredBy') or ''
end

-- Whether a request of a buyer counts: it goes or went on, without another's yes, and was not answered before `since`. So do the rows of
-- `own`, an approval that is being closed, and of each that was before it (`ticket`): of several at one moment each counts those before.
local function hasPassed(root, name, since, own)
  local of, key = string.match(name, '^(.*)/(.*)$')
  local row, portfolio = root .. ':row:' .. of .. ':' .. key, root .. ':portfolio:' .. of
  local state, updated, approval = unpack(redis.call('HMGET', row, 'state', 'updated', 'approval'))
  if not state then
    -- Of a row in an archive its call alone tells.
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
  if not state or OUT[state] or state == 'done' and tonumber(updated) < since then return false end
  return not approval or answeredBy(approvalKey(portfolio, approval)) == ''
end

-- Of buyers that may be one more are not looked at, which would keep Redis busy: what they are to get is not known then.
local MOST_ALIKE = 1000

-- A buyer, and all that may be the same, in one order whichever of them is asked about: each is beside whoever first had what they
-- share. Nothing where there are too many.
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

-- What these buyers are to get with what passes `besides`, as limbs, where that is above the limit. Roughly first: most are far below.
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
    -- A request is made once, in however many portfolios it stands.
    local request = string.match(row[1], '[^/]*$') .. ' ' .. row[2]
    if not seen[request] and (#rows > MOST_REQUESTS or hasPassed(root, row[1], since, own)) then
      seen[request] = true
      added(limbs, limbsOf(row[2]))
    end
  end
  return isAbove(limbs, rule.above) and limbs
end

-- The same of a person; the first day counts whole, of which a part is within so many days.
local function personOver(root, person, rule, besides)
  local limbs, fields = added({}, besides), redis.call('HGETALL', root .. ':passed:' .. person)
  for at = 1, rule.days > 0 and #fields or 0, 2 do
    local day, k = string.match(fields[at], '^(%d+):(%-?%d+)$')
    if tonumber(day) >= math.floor(nowMs() / ONE_DAY) - rule.days then addLimb(limbs, tonumber(k), fields[at + 1]) end
  end
  return isAbove(limbs, rule.person) and limbs
end

-- Which sum is above its limit if a row that ended passes by itself: { "buyer", "alike" or "person", name, k, limb, … }. `besides` has by buyer
-- and person what passes with it, and gets it added.
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
    local limbs = buyersOver(root, group, rule, { ticket = math.huge }, withThis('buyer ' .. group[1]))
    if limbs then return told('buyer', request.name, limbs) end
  end
  for person in pairs(rule.person ~= '' and approval and peopleOf(approval) or {}) do
    local limbs = personOver(root, person, rule, withThis('person ' .. person))
    if limbs then return told('person', person, limbs) end
  end
end
