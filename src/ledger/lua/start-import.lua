-- Begins to bring a file into a portfolio. From now on its faulty lines are the ones shown: those of another file are
-- forgotten, and so are its own of earlier, unless another import of it is under way, which both then write down alike.
-- KEYS[1] the portfolio   KEYS[2] all portfolios   KEYS[3] its imports under way   KEYS[4] all its imports
-- KEYS[5…] its faulty lines
-- ARGV[1] the portfolio's name   ARGV[2] content: the file and how it is read   ARGV[3] this import: content:its own name
-- ARGV[4] ms without a sign of life after which an import is gone
-- ARGV[5] id of the file's copy   ARGV[6] file name   ARGV[7] how it is read, as JSON
-- ARGV[8] 1 where it is to replace what was imported before
-- Answers { how often the portfolio had been given up by now, the number of this import: the same whenever it comes again,
-- which of all imports begun it is }; or {} where it would replace the rows of another that is under way: it is not begun
-- @include move
local now = nowMs()
local joins, others = false, false
for _, import in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], now - ARGV[4], now + ARGV[4])) do
  if string.sub(import, 1, #ARGV[2]) == ARGV[2] then
    joins = redis.call('HGET', KEYS[1], 'content') == ARGV[2]
  elseif import ~= ARGV[3] then
    others = true
  end
end
if others and ARGV[8] == '1' then return {} end
-- Deleting some 100,000 lines would hold everybody up; unlinked, they are freed beside the commands of others.
if not joins then redis.call('UNLINK', unpack(KEYS, 5)) end
redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[3], now, ARGV[3])
local known = redis.call('HGET', KEYS[4], ARGV[2])
local number = known and cjson.decode(known).number or redis.call('HLEN', KEYS[4]) + 1
local told = { number = number, id = ARGV[5], fileName = ARGV[6], reading = ARGV[7], lastMs = now }
redis.call('HSET', KEYS[4], ARGV[2], cjson.encode(told))
redis.call('HSET', KEYS[1], 'content', ARGV[2], 'importing', ARGV[2], 'importNumber', number,
  'importId', ARGV[5], 'fileName', ARGV[6], 'reading', ARGV[7])
-- What was given up before this does not concern its rows, see cancelled.lua.
redis.call('HSET', KEYS[1], 'importGen', redis.call('HGET', KEYS[1], 'cancels') or '0')
redis.call('HSETNX', KEYS[1], 'started', now)
redis.call('HDEL', KEYS[1], 'finished')
-- Whose rows are of what began before, and whose of what began later, their numbers do not say.
local begun = redis.call('HINCRBY', KEYS[1], 'begun', 1)
redis.call('HSET', KEYS[1], 'begun:' .. number, begun)
return { redis.call('HGET', KEYS[1], 'importGen'), tostring(number), tostring(begun) }
