-- Changes what is known of a user who is there, in one step.
-- KEYS[1] the user   KEYS[2] a session that goes on although the epoch changes, or the user where there is none
-- ARGV[1] the new epoch, "" where it stays   ARGV[2] a field, "" for none   ARGV[3] what must stand in it for anything to be done
-- ARGV[4] a field that becomes a moment, "" for none   ARGV[5] in how many ms from now that is
-- ARGV[6] "1" where the session that goes on has the second factor from now on   ARGV[7] and what follows: fields and values, "" to take it away
-- Answers 1, or 0 where there is no such user, or another changed that field
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
-- Half a session, which waits for its code, does not become a whole one by this.
if began == before and (coded == '1' or not factor) then
  redis.call('HSET', KEYS[2], 'epoch', epoch)
  if isCoded == '1' then redis.call('HSET', KEYS[2], 'coded', '1') end
end
return 1
