-- Writes down that a person wants a hosted session for the limit of a row. Looking and asking are one step, so two people ask once.
-- @brings-in
-- @keys row portfolio counts wishes calls
-- row: the row's hash; counts: how many sessions were asked for each limit; wishes: the list of sessions that wait to be sent; calls: the
-- key prefix of sessions' calls.
-- @args name limit thing after despite by word
-- name: "<portfolio>/<key>" of the row; limit: the id of its limit; thing: digest of that id; by: who asks; word: unique name of this
-- request of the person, by which a repetition is recognized; after: "" normally. A person may want a new session on purpose, though one
-- was made or its outcome is unknown: then `after` is the number of the last session that this person saw, and a session with a larger
-- number counts as the new one. despite: "1" if the session is wanted although the limit was declined, else "".
-- Answers { what, number of the session }, where `what` tells the state of the limit's last session: "asked" (it is now on the list
-- `wishes`), "waits" (it waits or is under way), "made", or "held" (its outcome is unknown); or { "none" }: the row has no such limit. A
-- waiting session passes to this row if the portfolio for which it waits is paused.
-- @include archived
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'limit')
if (found[1] ~= 'done' and found[1] ~= 'skipped') or found[2] ~= limit then return { 'none' } end

local number = tonumber(redis.call('HGET', counts, thing) or 0)
local last = calls .. thing .. '.' .. number
local state, wanted, asker, known, record = unpack(redis.call('HMGET', last, 'state', 'wanted', 'row', 'word', 'record'))
if known == word then return { 'asked', number } end
if state == 'claimed' then return { 'waits', number } end
if state == 'free' and wanted then
  -- A hosted session of the service is still wanted while it is on the list `wishes`. A person asked for it because of a row; that row's
  -- portfolio must not have been cancelled or archived since.
  local wish, of = ' ' .. thing .. '.' .. number, string.match(portfolio, '^(.*:portfolio:)') .. string.match(asker, '^(.*)/')
  local since, cancels = redis.call('ZSCORE', wishes, asker .. wish), redis.call('HGET', of, 'cancels')
  if since and not isArchived(of) and tonumber(wanted) >= tonumber(cancels or 0) then
    -- A paused portfolio sends no session. If the asking row's portfolio is not paused, the waiting session passes to that row.
    if redis.call('HEXISTS', of, 'paused') == 1 and redis.call('HEXISTS', portfolio, 'paused') == 0 then
      redis.call('HSET', last, 'row', name, 'wanted', redis.call('HGET', portfolio, 'cancels') or '0')
      redis.call('ZREM', wishes, asker .. wish)
      redis.call('ZADD', wishes, since, name .. wish)
    end
    if despite ~= '' then redis.call('HSET', last, 'despite', despite) end
    return { 'waits', number }
  end
  redis.call('HDEL', last, 'wanted')
end
local isAnew = number <= tonumber(after == '' and -1 or after)
-- A link that was forgotten with its portfolio counts as none.
if not isAnew and state == 'made' and string.find(record or '', '"link":', 1, true) then return { 'made', number } end
if not isAnew and state == 'unknown' then return { 'held', number } end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
number = redis.call('HINCRBY', counts, thing, 1)
redis.call('HSET', calls .. thing .. '.' .. number, 'state', 'free', 'row', name, 'wished', now, 'wisher', by, 'word', word,
  'despite', despite, 'wanted', redis.call('HGET', portfolio, 'cancels') or '0')
redis.call('ZADD', wishes, now, name .. ' ' .. thing .. '.' .. number)
return { 'asked', number }
