-- Lists rows that are in sorted sets by line, in the order of their lines, each as it is at one moment: from a place of each set on, or from a
-- line on, which is a place that nobody who moves rows changes.
-- @keys begins …sets
-- What the keys of the rows begin with, and the sets.
-- @args place from to count withCalls between …fields
-- place: of the first, or "" where lines are said; from and to: the first line and the last; count: how many of a set, or -1 for all;
-- withCalls: 1 where their calls and their buyers' lists are looked at: then fields begins with state, request, company, limit; between: what
-- stands between two texts; fields: those of a row that are read.
-- Answers { rows, text }: of each row key, line, odd, field, field, … in one text, which costs a third of a list; "" for what a row does
-- not have. "odd" is "" where the calls of a row, and its buyer's list, are as they should be; else what they are, as JSON
-- { limit, company = { state, id, row, owner, at }, list }.
local call = redis.call
local ended, root = { done = true, skipped = true }, string.match(begins, '^(.-):row:')

-- What is known of a call, where that is not what is expected of it: made, with this id; or, of a row that has not ended, nothing.
local function oddCall(key, isMade, id)
  local known = call('HMGET', key, 'state', 'id')
  if isMade then
    if known[1] == 'made' and known[2] == id then return nil end
  elseif not known[1] or known[1] == 'free' then
    return nil
  end
  local more = call('HMGET', key, 'row', 'owner', 'at')
  return { state = known[1] or '', id = known[2] or '', row = more[1] or '', owner = more[2] or '', at = more[3] or '' }
end

-- Whether a list has this id, none twice, and no more than the buyer has requests: what else may be in it shows at one that is not done.
local function isListOf(list, buyer, id)
  local isIn = {}
  for _, each in ipairs(list) do
    if isIn[each] then return false end
    isIn[each] = true
  end
  return (not id or isIn[id]) and #list <= call('HLEN', root .. ':buyer:' .. buyer .. ':rows')
end

local function oddOf(key, state, request, company, limit)
  local buyer, isEnded, odd = string.match(request or '', '"buyer":"([^"\\]*)"') or '', ended[state], {}
  odd.limit = oddCall(root .. ':call:limit:' .. key, isEnded, limit)
  if state ~= 'skipped' and not string.find(request or '', '"companyId":', 1, true) then
    odd.company = oddCall(root .. ':call:company:' .. buyer, isEnded, company)
  end
  local list = call('LRANGE', root .. ':buyer:' .. buyer .. ':limits', 0, 99)
  local isRight = #list == 1 and list[1] == limit or isEnded and isListOf(list, buyer, state == 'done' and limit)
  if #list == 0 and state ~= 'done' then isRight = true end
  if not isRight then odd.list = list end
  return next(odd) and cjson.encode(odd) or ''
end

local answer, rows, at = {}, 0, 0
for _, set in ipairs(sets) do
  local members = place ~= '' and call('ZRANGE', set, place, place + count - 1, 'WITHSCORES')
    or call('ZRANGE', set, from, to, 'BYSCORE', 'LIMIT', '0', count, 'WITHSCORES')
  for member = 1, #members, 2 do
    local key, found = members[member], call('HMGET', begins .. members[member], unpack(fields))
    answer[at + 1], answer[at + 2] = key, members[member + 1]
    answer[at + 3] = withCalls == '1' and found[1] and oddOf(key, unpack(found, 1, 4)) or ''
    for field = 1, #fields do answer[at + 3 + field] = found[field] or '' end
    at = at + 3 + #fields
  end
  rows = rows + #members / 2
end
return { rows, table.concat(answer, between) }
