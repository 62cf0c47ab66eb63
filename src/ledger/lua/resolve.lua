-- A person says what became of a row's call whose outcome is unknown: of the first one, since a row's calls go one after
-- another and nobody has spoken of a later one.
-- KEYS[1] list of the buyer's limit ids   KEYS[2] the account   KEYS[3…] the calls of the row's step, in their order
-- ARGV[1] id of what was made, or "" to let it be sent again   ARGV[2] kind   ARGV[3] this word's own name
-- Answers "resolved" | "made" (answered meanwhile, all of them) | "not unknown". Repeated, its name tells that it was done.
-- What may be sent again keeps the name of its first send, by which a service may know it.
-- @include doubts
local made = 0
for at = 3, #KEYS do
  local call = redis.call('HMGET', KEYS[at], 'state', 'word')
  if call[2] == ARGV[3] then return 'resolved' end
  if call[1] == 'made' then made = made + 1 end
end
for at = 3, #KEYS do
  if redis.call('HGET', KEYS[at], 'state') == 'unknown' then
    redis.call('HDEL', KEYS[at], 'owner')
    forgetDoubts(KEYS[at])
    redis.call('HSET', KEYS[at], 'word', ARGV[3])
    if ARGV[1] == '' then
      redis.call('HSET', KEYS[at], 'state', 'free')
    else
      redis.call('HSET', KEYS[at], 'state', 'made', 'id', ARGV[1], 'record', '{}', 'by', 'a person')
      redis.call('HINCRBY', KEYS[2], 'made:' .. ARGV[2], 1)
      if ARGV[2] == 'limit' then redis.call('RPUSH', KEYS[1], ARGV[1]) end
    end
    return 'resolved'
  end
end
return made == #KEYS - 2 and 'made' or 'not unknown'
