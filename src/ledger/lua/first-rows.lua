-- The rows of a portfolio that are sent first, in the order of lines. A chosen row stays chosen, so that never more than these are
-- sent, whichever processes feed.
-- @keys portfolio chosen waiting begins …others
-- Keys: chosen: the set of chosen rows; waiting: the queued rows, by line; begins: the key prefix of rows; others: the rows in
-- each of the other open states.
-- @args what count words from …fields
-- "send": `count` rows are sent first, and the others after `resume`. Rows sent first already count: a higher number continues with the
--   next rows; no higher number changes nothing. Answers 1.
-- "choose": chooses up to the number asked for. If all chosen rows have ended while others wait, the portfolio pauses itself for the reason
--   `words`. Lines come in gradually, so each call chooses at most one page more. Answers { row, step, row, step, … } of the chosen rows
--   that wait: `count` of them from index `from` on.
-- "resume": lets a paused portfolio go on, and deletes `fields`, so that the first responses of each step are counted anew. With `count` 1
--   only if it is paused for the reason `words` ("": not paused); answers false otherwise. If its first rows have ended, all others may go.
--   If something else paused it before that (a person, refusals), the first rows still go first: nobody has agreed to send the rest.
--   Answers how many rows still go first, "" if all go.
local PAGE = 1000
-- @include archived
-- @include move
-- @include end-first
-- @include cancelled
local archived = archivedError(portfolio)
if archived then return what == 'choose' and {} or archived end
if what == 'send' then
  redis.call('HSET', portfolio, 'first', count)
  if redis.call('SCARD', chosen) < tonumber(count) then endFirst(portfolio) end
  return 1
end
if what == 'resume' then
  if count == '1' and (redis.call('HGET', portfolio, 'paused') or '') ~= words then return false end
  redis.call('HDEL', portfolio, 'paused', unpack(fields))
  if redis.call('HDEL', portfolio, 'firstOver') == 1 then
    redis.call('HDEL', portfolio, 'first')
    redis.call('DEL', chosen)
  end
  return redis.call('HGET', portfolio, 'first') or ''
end
-- A chosen row that was given up or replaced before its limit was sent is none of those that go first.
for _, key in ipairs(redis.call('ZINTER', 2, portfolio .. ':state:cancelled', chosen)) do
  if not isSent(string.match(portfolio, '^(.-):portfolio:') .. ':call:limit:' .. key) then redis.call('SREM', chosen, key) end
end
local most = tonumber(redis.call('HGET', portfolio, 'first') or 0)
local rows = redis.call('ZINTER', 2, waiting, chosen)

-- Adds those of the listed rows that are not chosen yet. `listed`: key, place, key, place, …
local function addUnchosen(found, listed)
  local keys = {}
  for at = 1, #listed, 2 do keys[#keys + 1] = listed[at] end
  if #keys == 0 then return end
  local isChosen = redis.call('SMISMEMBER', chosen, unpack(keys))
  for at, key in ipairs(keys) do
    if isChosen[at] == 0 then found[#found + 1] = { key = key, place = tonumber(listed[2 * at]) } end
  end
end

-- Chooses `wanted` more rows, if any are not chosen yet: queued ones, and those that were in progress before some rows were to go first.
local function chooseMore(wanted)
  local found, more = {}, {}
  for _, rowsOf in ipairs(others) do addUnchosen(found, redis.call('ZRANGE', rowsOf, 0, PAGE - 1, 'WITHSCORES')) end
  local inProgress, queued = #found, redis.call('ZCARD', waiting)
  for place = 0, #rows < queued and queued - 1 or -1, PAGE do
    addUnchosen(found, redis.call('ZRANGE', waiting, place, place + PAGE - 1, 'WITHSCORES'))
    if #found > inProgress then break end
  end
  table.sort(found, function(one, other) return one.place < other.place end)
  for at = 1, math.min(wanted, #found) do more[at] = found[at].key end
  if #more > 0 then redis.call('SADD', chosen, unpack(more)) end
  return #more > 0
end

local wanted = most - redis.call('SCARD', chosen)
if wanted > 0 and chooseMore(wanted) then rows = redis.call('ZINTER', 2, waiting, chosen) end
local open = #rows
for _, rowsOf in ipairs(others) do
  if open == 0 then open = #redis.call('ZINTER', 2, rowsOf, chosen) end
end
if open == 0 and most > 0 and redis.call('ZCARD', waiting) > 0 then
  local isNew = redis.call('HSETNX', portfolio, 'paused', words) == 1
  if isNew then redis.call('HSET', portfolio, 'firstOver', words, 'pausedAt', nowText()) end
end
local answer = {}
for at = from + 1, math.min(#rows, from + count) do
  answer[#answer + 1] = rows[at]
  answer[#answer + 1] = redis.call('HGET', begins .. rows[at], 'step') or 'company'
end
return answer
