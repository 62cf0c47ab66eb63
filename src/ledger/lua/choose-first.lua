-- Chooses the rows of a portfolio that go first, in the order of their lines: as many as were asked for, and none is taken
-- back, so that no more than these are ever sent, whoever feeds. When all of them are at an end while others wait, the
-- portfolio pauses itself. Lines come in by and by, so some may be chosen later: no more than a page of them each time.
-- KEYS[1] the portfolio   KEYS[2] the set of the chosen   KEYS[3] the rows that wait, by line
-- KEYS[4…] the rows in each of the other open states
-- ARGV[1] the key of a row, less its name   ARGV[2] why it is paused then   ARGV[3] place of the first that is listed
-- ARGV[4] how many are listed
-- Answers { row, step, row, step, … } of the chosen ones that wait, in the order of their lines.
local portfolio, chosen, waiting = unpack(KEYS, 1, 3)
local PAGE = 1000
-- @include archived
if isArchived(portfolio) then return {} end
local most = tonumber(redis.call('HGET', portfolio, 'first') or 0)
local rows = redis.call('ZINTER', 2, waiting, chosen)

-- Chooses from the next rows that wait, so far as there are any that are not chosen yet.
local function chooseMore(wanted)
  for from = 0, redis.call('ZCARD', waiting) - 1, PAGE do
    local page = redis.call('ZRANGE', waiting, from, from + PAGE - 1)
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
for at = 4, #KEYS do
  if open == 0 then open = #redis.call('ZINTER', 2, KEYS[at], chosen) end
end
if open == 0 and most > 0 and redis.call('ZCARD', waiting) > 0 then
  if redis.call('HSETNX', portfolio, 'paused', ARGV[2]) == 1 then redis.call('HSET', portfolio, 'firstOver', ARGV[2]) end
end
local answer = {}
local first = tonumber(ARGV[3]) + 1
for at = first, math.min(#rows, first + tonumber(ARGV[4]) - 1) do
  answer[#answer + 1] = rows[at]
  answer[#answer + 1] = redis.call('HGET', ARGV[1] .. rows[at], 'step') or 'company'
end
return answer
