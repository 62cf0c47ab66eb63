-- Reads rows of one state in the order of their lines, each at one moment with its calls and its buyer's list: for the nightly check.
-- @keys index begins limits companies buyers
-- The index of the state; what the keys of its rows, of the calls for limits, of those for companies, and of what is known of buyers
-- begin with.
-- @args line count withCalls between …fields
-- line: the first; count: rows at most; withCalls: 1 where calls and lists are looked at; between: what stands between two texts; fields:
-- those of a row that are read, first state, request, company, limit.
-- Answers { rows, text }: of each row key, line, odd, field, field, … in one text, which costs a third of a list; "" for what a row does
-- not have. "odd" is "" where the calls of a row, and its buyer's list, are as they should be; else what they are, as JSON
-- { limit, company = { state, id, row, owner, at }, list }.
local call = redis.call
local ended = { done = true, skipped = true }

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
  return (not id or isIn[id]) and #list <= call('HLEN', buyers .. buyer .. ':rows')
end

local function oddOf(key, state, request, company, limit)
  local buyer, isEnded, odd = string.match(request or '', '"buyer":"([^"\\]*)"') or '', ended[state], {}
  odd.limit = oddCall(limits .. key, isEnded, limit)
  if state ~= 'skipped' and not string.find(request or '', '"companyId":', 1, true) then
    odd.company = oddCall(companies .. buyer, isEnded, company)
  end
  local list = call('LRANGE', buyers .. buyer .. ':limits', 0, 99)
  local isRight = #list == 1 and list[1] == limit or isEnded and isListOf(list, buyer, state == 'done' and limit)
  if #list == 0 and state ~= 'done' then isRight = true end
  if not isRight then odd.list = list end
  return next(odd) and cjson.encode(odd) or ''
end

local members = call('ZRANGE', index, line, '+inf', 'BYSCORE', 'LIMIT', '0', count, 'WITHSCORES')
local answer, place = {}, 0
for at = 1, #members, 2 do
  local key, found = members[at], call('HMGET', begins .. members[at], unpack(fields))
  answer[place + 1], answer[place + 2] = key, members[at + 1]
  answer[place + 3] = withCalls == '1' and found[1] and oddOf(key, unpack(found, 1, 4)) or ''
  place = place + 3
  for field = 1, #fields do answer[place + field] = found[field] or '' end
  place = place + #fields
end
return { #members / 2, table.concat(answer, between) }
