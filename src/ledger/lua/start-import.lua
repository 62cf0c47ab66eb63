-- Begins to bring a file into a portfolio. From now on its faulty lines are the ones shown: those of another file are
-- forgotten, and so are its own of earlier, unless another import of it is under way, which both then write down alike.
-- @keys portfolio portfolios underWay imports …faulty
-- Its imports under way, all its imports, and its faulty lines.
-- @args name content import goneAfterMs id fileName reading replaces by
-- content: the file and how it is read; import: content:its own name; goneAfterMs: without a sign of life so long, an import is gone;
-- id: of the file's copy; reading: how it is read, as JSON; replaces: 1 where it is to replace what was imported before; by: who imports, or "".
-- @brings-in
-- Answers { how often the portfolio had been cancelled by now, the number of this import: the same whenever it comes again,
-- which of all imports begun it is }; or {} where it would replace the rows of another that is under way: it is not begun
-- @include archived
-- @include move
-- @include end-first
local archived = archivedError(portfolio)
if archived then return archived end
local now = nowMs()
local joins, others, unread = false, false, content
local before = redis.call('HGET', portfolio, 'importing') or ''
for _, other in ipairs(redis.call('ZRANGEBYSCORE', underWay, now - goneAfterMs, now + goneAfterMs)) do
  local of = string.sub(other, 1, #content)
  -- What another reads at the same time is to be read to its end as well; of one that was killed before, this file takes the place.
  if string.find(before, of, 1, true) and not string.find(unread, of, 1, true) then unread = unread .. ' ' .. of end
  if of == content then
    joins = redis.call('HGET', portfolio, 'content') == content
  elseif other ~= import then
    others = true
  end
end
if others and replaces == '1' then return {} end
-- Deleting some 100,000 lines would keep everybody waiting; unlinked, they are freed beside the commands of others.
if not joins then redis.call('UNLINK', unpack(faulty)) end
redis.call('ZADD', portfolios, 'NX', now, name)
redis.call('ZADD', underWay, now, import)
local known = redis.call('HGET', imports, content)
local number = known and cjson.decode(known).number or redis.call('HLEN', imports) + 1
local told = { number = number, id = id, fileName = fileName, reading = reading, lastMs = now, by = by }
redis.call('HSET', imports, content, cjson.encode(told))
redis.call('HSET', portfolio, 'content', content, 'importing', unread, 'importNumber', number,
  'importId', id, 'fileName', fileName, 'reading', reading, 'by', by)
-- What was cancelled before this does not concern its rows, see cancelled.lua.
redis.call('HSET', portfolio, 'importGen', redis.call('HGET', portfolio, 'cancels') or '0')
-- Whose own it is: that of whoever imported into it first, as long as nobody else does; one that is older than this, nobody's.
local owner = redis.call('HGET', portfolio, 'owner')
if not owner and redis.call('HEXISTS', portfolio, 'started') == 0 then owner = by end
redis.call('HSET', portfolio, 'owner', owner == by and by or '')
-- What is counted from the beginning can be held against what is there; of older portfolios it cannot.
if redis.call('HSETNX', portfolio, 'started', now) == 1 then redis.call('HSET', portfolio, 'counted', '1') end
-- Where nothing waits any more, what was to go first has gone, and says nothing of the lines that come now.
if redis.call('HDEL', portfolio, 'finished') == 1 then
  endFirst(portfolio)
  redis.call('HDEL', portfolio, 'first')
  redis.call('DEL', portfolio .. ':first')
end
-- Whose rows are of what began before, and whose of what began later, their numbers do not say.
local begun = redis.call('HINCRBY', portfolio, 'begun', 1)
redis.call('HSET', portfolio, 'begun:' .. number, begun)
return { redis.call('HGET', portfolio, 'importGen'), tostring(number), tostring(begun) }
