-- Included by trip.lua: writes down that the thing was made. Final: a later claim is answered by the id, and nothing takes it back.
-- A sender that was believed dead may still come with its id, and is believed: the thing was made.
-- What is told: owner, id, record (what else the answer said, as JSON), buyer; accepted: 1 where a limit may have the id of another one
-- Answers { the id on record, 1 where the outcome had been unknown }. The id is another than `id` when the thing was made
-- twice, which only "resend" and a person's word can lead to. Then both are kept where people look.
-- Or { "", the row for which another limit was made under this id }: nothing is written.
-- It is done where its own sender was the first to say so and nobody was in doubt of it: then the row goes on in the same batch.
-- @include doubts
-- @include made-ids
-- @include note-alike
CALLS.settle = function(of, it)
  local call, portfolio, limits = of.call, of.portfolio, ROOT .. ':buyer:' .. it.buyer .. ':limits'
  local known = fieldsOf(call, { 'state', 'id', 'at', 'open', unpack(DOUBTS) })
  if known.state == 'made' then
    local pair = it.kind .. ' ' .. known.id .. ' ' .. it.id
    if known.id ~= it.id and redis.call('HSETNX', ROOT .. ':made-twice', pair, of.name) == 1 then
      redis.call('HSET', call, 'again', it.id)
      if not portfolio.archive then add(portfolio.hash, 'again', 1) end
      tell(of.hash, NOW, cjson.encode({ is = 'made twice', kind = it.kind, id = known.id, again = it.id }))
      if not portfolio.archive and redis.call('EXISTS', of.hash) == 1 then redis.call('HSET', of.hash, 'again', pair) end
      if it.kind == 'limit' then redis.call('RPUSH', limits, it.id) end
      takeId(call, it.id)
    end
    return { known.id, 0 }
  end
  local other = takeId(call, it.id)
  if other and it.kind == 'limit' and it.accepted ~= '1' then return { '', rowOfOther(call, other) } end
  -- Two buyers have one company: a limit for one of them would be requested for the other.
  if other and it.kind == 'company' then
    local shared = ROOT .. ':shared-companies'
    if other ~= '' then redis.call('HSETNX', shared, it.id .. ' ' .. other .. ' ' .. it.thing, of.name) end
    noteCompany(ROOT, it.thing, it.id)
  end
  -- The duration of the call is added to the time of its claim, for the row's story: a field of its own would cost each row 70 bytes.
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
  -- This comes last because damaged data can make it fail. By then the call is on record, and a repeated request gets its answer.
  if it.kind == 'limit' then redis.call('RPUSH', limits, it.id) end
  return { it.id, late and 1 or 0 }, not late
end
