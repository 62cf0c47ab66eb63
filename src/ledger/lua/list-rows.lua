-- Lists rows of sorted sets by line, each row with its fields as of one moment. A list begins at an index in each set, or at a line. An
-- index shifts when rows before it leave the set; a line does not.
-- @keys begins …sets
-- Keys: begins: the key prefix of the rows; sets: the sorted sets that list them.
-- @args place from to count withCalls ofImport between …fields
-- place: index of the first row, or "" to go by lines; from and to: first and last line; count: rows of each set, or -1 for all;
-- withCalls: 1 to check the rows' calls and buyers' lists; then fields begins with state, request, company, limit; ofImport: the only import
-- whose rows are listed, or ""; between: separator; fields: those of a row to read.
-- Answers { rows, text }: for each row key, line, odd, field, field, … in one text, which costs a third of a list; "" for a missing
-- field. "odd" is "" if the calls of a row and its buyer's list are as expected; else their content, as JSON
-- { limit, company = { state, id, row, owner, at }, list }.
local call = redis.call
local ended, root = { done = true, skipped = true }, string.match(begins, '^(.-):row:')

-- The call's state, unless it is as expected: made with this id, or, for a row that has not ended, not sent.
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

-- Whether a list has this id, no id twice, and no more ids than the buyer has requests. Extra ids are found at rows that are not done.
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
    local key = members[member]
    if ofImport == '' or call('HGET', begins .. key, 'import') == ofImport then
      local found = call('HMGET', begins .. key, unpack(fields))
      answer[at + 1], answer[at + 2] = key, members[member + 1]
      answer[at + 3] = withCalls == '1' and found[1] and oddOf(key, unpack(found, 1, 4)) or ''
      for field = 1, #fields do answer[at + 3 + field] = found[field] or '' end
      rows, at = rows + 1, at + 3 + #fields
    end
  end
end
return { rows, table.concat(answer, between) }
