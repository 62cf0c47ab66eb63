-- Included by batch.lua: writes down that the thing was made. Final: a later claim is answered with the id, and nothing undoes it.
-- A sender taken for vanished may still bring its id, and is believed: the thing was made.
-- Arguments: owner, id, record (the rest of the response, as JSON), buyer; accepted: 1 if a limit may have the id of another limit
-- Answers { the id on record, 1 if the outcome had been unknown, or may have been }. The id differs from `id` if the thing was made twice,
-- which only "resend" and a person's answer can lead to. Then both ids are kept for people to see.
-- Or { "", the row whose call made another limit with this id }: nothing is written.
-- The move counts as done if the outcome was never in doubt: then the next move of the row follows in the same script.
-- @include doubts
-- @include made-ids
-- @include plain-record
CALLS.settle = function(of, it)
  -- No text of a response is kept if the portfolio is being forgotten.
  if isForgotten(of.portfolio.archive) then it.record = plainRecord(it.record) end
  local call, portfolio, limits = of.call, of.portfolio, ROOT .. ':buyer:' .. it.buyer .. ':limits'
  local known = recordOf(call)
  if known.state == 'made' then
    local pair = it.kind .. ' ' .. known.id .. ' ' .. it.id
    if known.id ~= it.id and redis.call('HSETNX', ROOT .. ':made-twice', pair, of.name) == 1 then
      redis.call('HSET', call, 'again', it.id)
      if not portfolio.archive then add(portfolio.hash, 'again', 1) end
      tell(of.hash, NOW, cjson.encode({ is = 'made twice', kind = it.kind, id = known.id, again = it.id }))
      if not portfolio.archive and redis.call('EXISTS', of.hash) == 1 then redis.call('HSET', of.hash, 'again', pair) end
      local first = takeId(call, it.id)
      if it.kind == 'limit' then
        redis.call('RPUSH', limits, it.id)
        if first then noteShared(call, first, of.name) end
      end
    end
    -- An owner that settles again has lost the reply. That reply may have said that the outcome had been unknown, so this answer says so
    -- too.
    return { known.id, known.id == it.id and known.owner == it.owner and 1 or 0 }
  end
  -- A session's id is the name of its own call, so no other call can have made it.
  local other = it.kind ~= 'session' and takeId(call, it.id)
  if other and it.kind == 'limit' then
    if it.accepted ~= '1' then return { '', rowOfOther(call, other) } end
    noteShared(call, other, of.name)
  end
  -- Two buyers share a company, so a limit requested for one would go to the other. People are told of it, and sums that need no approval
  -- count both buyers together.
  if other and it.kind == 'company' then
    local shared = ROOT .. ':shared-companies'
    if other ~= '' then redis.call('HSETNX', shared, it.id .. ' ' .. other .. ' ' .. it.thing, of.name) end
    noteCompany(ROOT, it.thing, it.id)
  end
  -- The time from claim to response, for the row's history, is appended to `at`: a field of its own would cost 70 bytes a row.
  local at = known.at and known.at .. '+' .. string.format('%.0f', math.max(0, NOW - known.at)) or ''
  redis.call('HSET', call, 'state', 'made', 'owner', it.owner, 'id', it.id, 'record', it.record, 'row', of.name, 'at', at)
  local late = tonumber(known.open or 0) > 0
  if late then tell(of.hash, NOW, cjson.encode({ is = 'made late', kind = it.kind, id = it.id })) end
  for _, name in ipairs(DOUBTS) do
    if known[name] then
      forgetDoubts(call)
      break
    end
  end
  add(KEYS[1], 'made:' .. it.kind, 1)
  if not portfolio.archive then add(portfolio.hash, 'made:' .. it.kind, 1) end
  -- A write that may fail, if the key is damaged, comes last: the id is on record by then, and a repetition is answered with it.
  if it.kind == 'limit' then redis.call('RPUSH', limits, it.id) end
  return { it.id, late and 1 or 0 }, not late
end
