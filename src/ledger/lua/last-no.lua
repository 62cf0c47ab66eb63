-- Finds the last refusal, in another approval, of what an approval asks for: the same request, an answer to the same call, or the supplier.
-- @keys portfolio
-- @args own kind supplier …rows
-- own: id of the approval; supplier: key of its supplier, or ""; rows: keys of some of its rows.
-- Answers { id of the refused approval, number of that answer in the account, who refused and the comment }, or {}.
-- @include approvals
local known, last, turn = {}, nil, -1

-- Takes an approval as the last refusal found so far, if it was declined after those found before. An approval that is missing was archived
-- with its portfolio: it may have been declined, and counts so if `isNoIfGone`. Answers up to the number `yes` do not count.
local function look(id, isNoIfGone, yes)
  if id == own then return end
  known[id] = known[id] or redis.call('HMGET', approvalKey(portfolio, id), 'standing', 'turn')
  local standing, at = known[id][1], tonumber(known[id][2] or 0)
  local isNo = standing == 'declined' or not standing and isNoIfGone
  if isNo and at > turn and at > tonumber(yes or -1) then last, turn = id, at end
end

local function lookAtAnswers(call)
  for id in string.gmatch(redis.call('HGET', call, 'answers') or '', '%S+') do look(id, true) end
end

if supplier ~= '' and kind == 'answer' then lookAtAnswers(callOfSupplier(portfolio, supplier)) end
if supplier ~= '' and kind ~= 'answer' then
  local id = redis.call('HGET', callOfSupplier(portfolio, supplier), 'declined')
  if id then look(id, true) end
end
for _, key in ipairs(rows) do
  if kind == 'answer' then
    local was = redis.call('HGET', string.gsub(portfolio, ':portfolio:', ':row:', 1) .. ':' .. key, 'was')
    local of = was and cjson.decode(was).of
    if of then lookAtAnswers(string.match(portfolio, '^(.-):portfolio:') .. ':call:' .. string.gsub(of, ' ', ':', 1)) end
  else
    local of = redis.call('HMGET', requestOf(portfolio, key), 'declined', 'asks', 'yes')
    if of[1] then look(of[1], true) end
    for id in string.gmatch(of[2] or '', '%S+') do look(id, false, of[3]) end
  end
end
return last and { last, tostring(turn), noOf(portfolio, last) } or {}
