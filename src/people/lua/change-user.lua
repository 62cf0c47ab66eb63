-- Changes fields of an existing user in one step.
-- KEYS[1] the user   KEYS[2] a session that survives the change of epoch, or the user's key for none
-- ARGV[1] the new epoch, "" to keep it   ARGV[2] a field to check, "" for none   ARGV[3] its expected value; else nothing is done
-- ARGV[4] a field to set to a time, "" for none   ARGV[5] that time in ms from now
-- ARGV[6] "1" if the surviving session has given the second factor   ARGV[7] and following: fields and values, "" to delete
-- Answers 1, or 0 if there is no such user, or the checked field has another value
-- @include clock
local epoch, field, expected, moment, inMs, isCoded = unpack(ARGV)
local before, factor = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'factor'))
if not before then return 0 end
if field ~= '' and redis.call('HGET', KEYS[1], field) ~= expected then return 0 end
for place = 7, #ARGV, 2 do
  if ARGV[place + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[place])
  else
    redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1])
  end
end
if moment ~= '' then redis.call('HSET', KEYS[1], moment, nowMs() + inMs) end
if epoch == '' then return 1 end
redis.call('HSET', KEYS[1], 'epoch', epoch)
if KEYS[2] == KEYS[1] then return 1 end
local began, coded = unpack(redis.call('HMGET', KEYS[2], 'epoch', 'coded'))
-- A half session that waits for its code does not become a whole one by this.
if began == before and (coded == '1' or not factor) then
  redis.call('HSET', KEYS[2], 'epoch', epoch)
  if isCoded == '1' then redis.call('HSET', KEYS[2], 'coded', '1') end
end
return 1
