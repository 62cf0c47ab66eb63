-- Writes down that the thing was made. Final: a later claim is answered by the id, and nothing takes it back.
-- A sender that was believed vanished may still come with its id, and is believed: the thing was made.
-- KEYS[1] the call   KEYS[2] list of the buyer's limit ids   KEYS[3] the account, where made things are counted
-- ARGV[1] owner   ARGV[2] id   ARGV[3] what else the answer said, as JSON   ARGV[4] row that asked   ARGV[5] kind
-- Answers the id on record: another than ARGV[2] when the thing was made twice, which only "resend" can lead to.
local known = redis.call('HMGET', KEYS[1], 'state', 'id')
if known[1] == 'made' then
  if known[2] ~= ARGV[2] then redis.call('HSET', KEYS[1], 'again', ARGV[2]) end
  return known[2]
end
redis.call('HSET', KEYS[1], 'state', 'made', 'owner', ARGV[1], 'id', ARGV[2], 'record', ARGV[3], 'row', ARGV[4])
redis.call('HDEL', KEYS[1], 'heard')
redis.call('HINCRBY', KEYS[3], 'made:' .. ARGV[5], 1)
if ARGV[5] == 'limit' then redis.call('RPUSH', KEYS[2], ARGV[2]) end
return ARGV[2]
