-- Writes down that the thing was made. Final: a later claim is answered by the id, and nothing takes it back.
-- A sender that was believed vanished may still come with its id, and is believed: the thing was made.
-- KEYS and ARGV: one-call.lua. What is told: owner, id, record (what else the answer said, as JSON), buyer; accepted: 1 where a limit may
-- have the id of another one
-- Answers { the id on record, 1 where the outcome had been unknown }. The id is another than `id` when the thing was made
-- twice, which only "resend" and a person's word can lead to. Then both are kept where people look.
-- Or { "", the row for which another limit was made under this id }: nothing is written.
-- @include one-call
-- @include doubts
-- @include made-ids
-- @include note-alike
local LIMITS = ROOT .. ':buyer:' .. it.buyer .. ':limits'
local known = redis.call('HMGET', CALL, 'state', 'id', 'at')
local isHere = redis.call('HEXISTS', PORTFOLIO, 'archive') == 0
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if known[1] == 'made' then
  local pair = it.kind .. ' ' .. known[2] .. ' ' .. it.id
  if known[2] ~= it.id and redis.call('HSETNX', ROOT .. ':made-twice', pair, ROW_NAME) == 1 then
    redis.call('HSET', CALL, 'again', it.id)
    if isHere then redis.call('HINCRBY', PORTFOLIO, 'again', 1) end
    tell(ROW, now, cjson.encode({ is = 'made twice', kind = it.kind, id = known[2], again = it.id }))
    if isHere and redis.call('EXISTS', ROW) == 1 then redis.call('HSET', ROW, 'again', pair) end
    if it.kind == 'limit' then redis.call('RPUSH', LIMITS, it.id) end
    takeId(CALL, it.id)
  end
  return { known[2], 0 }
end
local other = takeId(CALL, it.id)
if other and it.kind == 'limit' and it.accepted ~= '1' then return { '', rowOfOther(CALL, other) } end
-- Two buyers with one company: a limit of the one would be asked for the other.
if other and it.kind == 'company' then
  local shared = ROOT .. ':shared-companies'
  if other ~= '' then redis.call('HSETNX', shared, it.id .. ' ' .. other .. ' ' .. it.thing, ROW_NAME) end
  noteCompany(ROOT, it.thing, it.id)
end
-- How long it took from its claim stands behind that, for the row's story: a field of its own would cost each row 70 bytes.
local at = known[3] and known[3] .. '+' .. string.format('%.0f', math.max(0, now - known[3])) or ''
redis.call('HSET', CALL, 'state', 'made', 'owner', it.owner, 'id', it.id, 'record', it.record, 'row', ROW_NAME, 'at', at)
local late = isInDoubt(CALL) and 1 or 0
if late == 1 then tell(ROW, now, cjson.encode({ is = 'made late', kind = it.kind, id = it.id })) end
forgetDoubts(CALL)
redis.call('HINCRBY', KEYS[1], 'made:' .. it.kind, 1)
if isHere then redis.call('HINCRBY', PORTFOLIO, 'made:' .. it.kind, 1) end
if it.kind == 'limit' then redis.call('RPUSH', LIMITS, it.id) end
return { it.id, late }
