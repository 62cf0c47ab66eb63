-- Writes down that the thing was made. Final: a later claim is answered by the id, and nothing takes it back.
-- A sender that was believed vanished may still come with its id, and is believed: the thing was made.
-- KEYS[1] the call   KEYS[2] list of the buyer's limit ids   KEYS[3] the account, where made things are counted
-- KEYS[4] what was made twice   KEYS[5] the portfolio that asked   KEYS[6] the row that asked
-- ARGV[1] owner   ARGV[2] id   ARGV[3] what else the answer said, as JSON   ARGV[4] row that asked   ARGV[5] kind   ARGV[6] key
-- ARGV[7] 1 where a limit may have the id of another one
-- Answers { the id on record, 1 where the outcome had been unknown }. The id is another than ARGV[2] when the thing was made
-- twice, which only "resend" and a person's word can lead to. Then both are kept where people look.
-- Or { "", the row for which another limit was made under this id }: nothing is written.
-- @include doubts
-- @include made-ids
-- @include note-alike
local known = redis.call('HMGET', KEYS[1], 'state', 'id', 'at')
local isHere = redis.call('HEXISTS', KEYS[5], 'archive') == 0
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if known[1] == 'made' then
  local pair = ARGV[5] .. ' ' .. known[2] .. ' ' .. ARGV[2]
  if known[2] ~= ARGV[2] and redis.call('HSETNX', KEYS[4], pair, ARGV[4]) == 1 then
    redis.call('HSET', KEYS[1], 'again', ARGV[2])
    if isHere then redis.call('HINCRBY', KEYS[5], 'again', 1) end
    tell(KEYS[6], now, cjson.encode({ is = 'made twice', kind = ARGV[5], id = known[2], again = ARGV[2] }))
    if isHere and redis.call('EXISTS', KEYS[6]) == 1 then redis.call('HSET', KEYS[6], 'again', pair) end
    if ARGV[5] == 'limit' then redis.call('RPUSH', KEYS[2], ARGV[2]) end
    takeId(KEYS[1], ARGV[2])
  end
  return { known[2], 0 }
end
local other = takeId(KEYS[1], ARGV[2])
if other and ARGV[5] == 'limit' and ARGV[7] ~= '1' then return { '', rowOfOther(KEYS[1], other) } end
-- Two buyers with one company: a limit of the one would be asked for the other.
if other and ARGV[5] == 'company' then
  local shared = string.gsub(KEYS[3], 'account$', 'shared-companies')
  if other ~= '' then redis.call('HSETNX', shared, ARGV[2] .. ' ' .. other .. ' ' .. ARGV[6], ARGV[4]) end
  noteCompany(string.gsub(KEYS[3], ':account$', ''), ARGV[6], ARGV[2])
end
-- How long it took from its claim stands behind that, for the row's story: a field of its own would cost each row 70 bytes.
local at = known[3] and known[3] .. '+' .. string.format('%.0f', math.max(0, now - known[3])) or ''
redis.call('HSET', KEYS[1], 'state', 'made', 'owner', ARGV[1], 'id', ARGV[2], 'record', ARGV[3], 'row', ARGV[4], 'at', at)
local late = isInDoubt(KEYS[1]) and 1 or 0
if late == 1 then tell(KEYS[6], now, cjson.encode({ is = 'made late', kind = ARGV[5], id = ARGV[2] })) end
forgetDoubts(KEYS[1])
redis.call('HINCRBY', KEYS[3], 'made:' .. ARGV[5], 1)
if isHere then redis.call('HINCRBY', KEYS[5], 'made:' .. ARGV[5], 1) end
if ARGV[5] == 'limit' then redis.call('RPUSH', KEYS[2], ARGV[2]) end
return { ARGV[2], late }
