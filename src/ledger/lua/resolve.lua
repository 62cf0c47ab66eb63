-- A person says what became of a call whose outcome is unknown.
-- KEYS[1] the call   KEYS[2] list of the buyer's limit ids
-- ARGV[1] id of what was made, or "" to let it be sent again   ARGV[2] kind
-- Answers "resolved" | "made" (it was answered meanwhile) | "not unknown"
local call = redis.call('HMGET', KEYS[1], 'state', 'id')
if call[1] == 'made' then return 'made' end
if call[1] ~= 'unknown' then return 'not unknown' end
if ARGV[1] == '' then
  redis.call('DEL', KEYS[1])
  return 'resolved'
end
redis.call('HSET', KEYS[1], 'state', 'made', 'id', ARGV[1], 'record', '{}', 'by', 'a person')
if ARGV[2] == 'limit' then redis.call('RPUSH', KEYS[2], ARGV[1]) end
return 'resolved'
