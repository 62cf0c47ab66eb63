-- Writes down that a person wants a hosted session for the limit of a row. Looking and asking are one step, so two people ask once.
-- @brings-in
-- @keys row portfolio counts wishes calls
-- row: the row's hash; counts: how many sessions were asked for each limit; wishes: sessions that wait to be sent; calls: the beginning of the
-- keys of sessions' calls.
-- @args name limit thing anew by word
-- name: "<portfolio>/<key>" of the row; limit: the id of its limit; thing: digest of that id; anew: 1 to ask for a new one on purpose, where
-- one was made or nobody knows whether one was; by: who asks; word: the wish's own name, by which a repetition is recognized.
-- Answers { what, number of the session }, where what is "asked", "waits" (one is asked for or under way), "made" or "held" (nobody knows
-- what became of it), each of the last session; or { "none" }: the row has no such limit.
-- @include archived
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'limit')
if (found[1] ~= 'done' and found[1] ~= 'skipped') or found[2] ~= limit then return { 'none' } end

local number = tonumber(redis.call('HGET', counts, thing) or 0)
local last = calls .. thing .. '.' .. number
local state, wanted, asker, known = unpack(redis.call('HMGET', last, 'state', 'wanted', 'row', 'word'))
if known == word then return { 'asked', number } end
-- Whether the last wish stands: the portfolio of the row for which it was wished has not been cancelled or archived since.
local function stands()
  if not wanted then return false end
  local of = string.match(portfolio, '^(.*:portfolio:)') .. string.match(asker, '^(.*)/')
  return not isArchived(of) and tonumber(wanted) >= tonumber(redis.call('HGET', of, 'cancels') or 0)
end
if state == 'claimed' or state == 'free' and stands() then return { 'waits', number } end
if anew ~= '1' and state == 'made' then return { 'made', number } end
if anew ~= '1' and state == 'unknown' then return { 'held', number } end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
number = redis.call('HINCRBY', counts, thing, 1)
redis.call('HSET', calls .. thing .. '.' .. number, 'state', 'free', 'row', name, 'wished', now, 'wisher', by, 'word', word,
  'wanted', redis.call('HGET', portfolio, 'cancels') or '0')
redis.call('ZADD', wishes, now, name .. ' ' .. thing .. '.' .. number)
return { 'asked', number }
