-- The rows of a portfolio that go first, in the order of their lines; none is taken back, so that no more than these are ever sent, whoever
-- feeds.
-- @keys portfolio chosen waiting begins …others
-- The set of the chosen; the rows that wait, by line; what the keys of rows begin with; the rows in each of the other open states.
-- @args what count words from …fields
-- "send": so many go first (`count`), and the others when it is resumed. Those that went first already count: asked for more, it goes on with
--   the next ones; asked for no more, it stays as it is. Answers 1.
-- "choose": chooses as many as were asked for. When all of them are at an end while others wait, the portfolio pauses itself (`words` say
--   why). Lines come in by and by, so some may be chosen later: no more than a page of them each time. Answers { row, step, row, step, … } of
--   the chosen ones that wait, so many (`count`) from a place on (`from`).
-- "resume": lets a portfolio go on that is paused, and looks at the first answers again; `fields` are forgotten with the pause. Where its first
--   rows are at an end, the rest goes. Where something else paused it before that (a person, the canary), they still go first: nobody has said
--   yes to the rest. Answers how many rows still go first, "" where all go.
local PAGE = 1000
-- @include archived
-- @include end-first
local archived = archivedError(portfolio)
if archived then return what == 'choose' and {} or archived end
if what == 'send' then
  redis.call('HSET', portfolio, 'first', count)
  if redis.call('SCARD', chosen) < tonumber(count) then endFirst(portfolio) end
  return 1
end
if what == 'resume' then
  redis.call('HDEL', portfolio, 'paused', unpack(fields))
  if redis.call('HDEL', portfolio, 'firstOver') == 1 then
    redis.call('HDEL', portfolio, 'first')
    redis.call('DEL', chosen)
  end
  return redis.call('HGET', portfolio, 'first') or ''
end
local most = tonumber(redis.call('HGET', portfolio, 'first') or 0)
local rows = redis.call('ZINTER', 2, waiting, chosen)

-- Chooses from the next rows that wait, so far as there are any that are not chosen yet.
local function chooseMore(wanted)
  for place = 0, redis.call('ZCARD', waiting) - 1, PAGE do
    local page = redis.call('ZRANGE', waiting, place, place + PAGE - 1)
    local isChosen, more = redis.call('SMISMEMBER', chosen, unpack(page)), {}
    for at, row in ipairs(page) do
      if isChosen[at] == 0 and #more < wanted then more[#more + 1] = row end
    end
    if #more > 0 then
      redis.call('SADD', chosen, unpack(more))
      return true
    end
  end
  return false
end

local wanted = most - redis.call('SCARD', chosen)
if wanted > 0 and #rows < redis.call('ZCARD', waiting) and chooseMore(wanted) then
  rows = redis.call('ZINTER', 2, waiting, chosen)
end
local open = #rows
for _, rowsOf in ipairs(others) do
  if open == 0 then open = #redis.call('ZINTER', 2, rowsOf, chosen) end
end
if open == 0 and most > 0 and redis.call('ZCARD', waiting) > 0 then
  if redis.call('HSETNX', portfolio, 'paused', words) == 1 then redis.call('HSET', portfolio, 'firstOver', words) end
end
local answer = {}
for at = from + 1, math.min(#rows, from + count) do
  answer[#answer + 1] = rows[at]
  answer[#answer + 1] = redis.call('HGET', begins .. rows[at], 'step') or 'company'
end
return answer
