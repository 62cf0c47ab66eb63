-- Begins to import a file into a portfolio. From now on its faulty lines are shown: those of other files are deleted, and so are
-- earlier ones of this file, unless another import of it is under way, which finds the same lines.
-- @keys portfolio portfolios underWay imports …faulty
-- Keys: portfolios: all portfolios; underWay and imports: the portfolio's imports under way, and all its imports; faulty: its faulty lines.
-- @args name content import goneAfterMs id fileName reading replaces by made columns
-- content: the file and how it is read; import: "<content>:<own name>"; goneAfterMs: ms without a heartbeat after which an import is gone;
-- id: of the copy of the file that is kept; reading: how it is read, as JSON; replaces: 1 if it replaces what was imported before; by: who
-- imports, or ""; made: what people did with the file before, as JSON, or ""; columns: those of its header that say which buyer or request a
-- line means, or "".
-- @brings-in
-- Answers { how often the portfolio has been cancelled, the number of this import, which is the same each time the file comes, its position
-- among all imports begun, the time in ms }; or {} if it would replace rows of another import that is under way: then it is not begun
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
  -- A file that another import reads at the same time must also be read to its end; this file replaces one whose import was killed.
  if string.find(before, of, 1, true) and not string.find(unread, of, 1, true) then unread = unread .. ' ' .. of end
  if of == content then
    joins = redis.call('HGET', portfolio, 'content') == content
  elseif other ~= import then
    others = true
  end
end
if others and replaces == '1' then return {} end
-- Deleting some 100,000 lines would block Redis; UNLINK frees them in the background.
if not joins then redis.call('UNLINK', unpack(faulty)) end
redis.call('ZADD', portfolios, 'NX', now, name)
redis.call('ZADD', underWay, now, import)
local known = cjson.decode(redis.call('HGET', imports, content) or '{}')
local number = known.number or redis.call('HLEN', imports) + 1
local told = { number = number, id = id, fileName = fileName, reading = reading, lastMs = now, by = by }
told.made = made ~= '' and cjson.decode(made) or known.made
-- The file stays changed by hand if the changed file comes again as it is.
local changed = known.made and (known.made.corrected or known.made.leftOut)
if changed and not (told.made.corrected or told.made.leftOut) then
  for _, field in ipairs({ 'corrected', 'leftOut', 'outSum', 'out', 'people' }) do told.made[field] = known.made[field] end
end
-- What was found in a file stays known until the file is read to its end again: its columns, and the currency of its requests.
local earlier = known.found or known
told.columns = earlier.columns or columns ~= '' and columns or nil
told.sentIn = earlier.sentIn or earlier.currency
redis.call('HSET', imports, content, cjson.encode(told))
redis.call('HSET', portfolio, 'content', content, 'importing', unread, 'importNumber', number,
  'importId', id, 'fileName', fileName, 'reading', reading, 'by', by)
-- Earlier cancellations do not concern the rows of this import, see cancelled.lua.
redis.call('HSET', portfolio, 'importGen', redis.call('HGET', portfolio, 'cancels') or '0')
-- The owner is whoever imported first, until somebody else imports too. A portfolio from before this field has no owner.
local owner = redis.call('HGET', portfolio, 'owner')
if not owner and redis.call('HEXISTS', portfolio, 'started') == 0 then owner = by end
redis.call('HSET', portfolio, 'owner', owner == by and by or '')
-- The field `counted` says that the portfolio's counts began with the portfolio, so that they can be compared with its rows. Older
-- portfolios lack it.
if redis.call('HSETNX', portfolio, 'started', now) == 1 then redis.call('HSET', portfolio, 'counted', '1') end
-- In a finished portfolio all rows that were to go first have ended. Lines that come now do not wait for them.
if redis.call('HDEL', portfolio, 'finished') == 1 then
  endFirst(portfolio)
  redis.call('HDEL', portfolio, 'first')
  redis.call('DEL', portfolio .. ':first')
end
-- The order in which imports began, which their numbers do not tell.
local begun = redis.call('HINCRBY', portfolio, 'begun', 1)
redis.call('HSET', portfolio, 'begun:' .. number, begun)
return { redis.call('HGET', portfolio, 'importGen'), tostring(number), tostring(begun), string.format('%.0f', now) }
