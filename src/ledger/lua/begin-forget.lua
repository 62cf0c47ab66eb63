-- Begins to forget a portfolio: from now on nothing of it changes, and no list has it but that of the archives.
-- KEYS[1] the portfolio   KEYS[2] all portfolios   KEYS[3] the archives   KEYS[4] its imports under way
-- ARGV[1] name   ARGV[2] id of this archive, where there is none yet   ARGV[3] who asks
-- Answers { "go", its state as JSON }, also where it was begun before | { "forgotten", the same } | { "none" }
-- | { "archiving" }, { "leaving" }, { "restoring" } (on its way elsewhere) | { "open" } | { "held", rows }: nothing is done
-- @include move
local portfolio, portfolios, archives, imports = unpack(KEYS)
local name, id, by = unpack(ARGV)
local now = nowMs()
local archive, started, finished, importing = unpack(redis.call('HMGET', portfolio, 'archive', 'started', 'finished', 'importing'))
if not started then return { 'none' } end
local state = archive and cjson.decode(archive) or
  { id = id, startedMs = tonumber(started), finishedMs = tonumber(finished or 0) }
if state.is == 'forgotten' then return { 'forgotten', archive } end
if state.is == 'forgetting' then return { 'go', archive } end
if state.is and state.is ~= 'archived' then return { state.is } end
if not state.is then
  if not finished or importing or redis.call('ZCARD', imports) > 0 then return { 'open' } end
  local held = redis.call('ZCARD', portfolio .. ':state:held')
  if held > 0 then return { 'held', held } end
end
state.is, state.by, state.sinceMs = 'forgetting', by, now
archive = cjson.encode(state)
redis.call('HSET', portfolio, 'archive', archive)
redis.call('ZREM', portfolios, name)
redis.call('ZADD', archives, 'NX', now, name)
return { 'go', archive }
