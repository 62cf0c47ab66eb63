-- Writes down what is to be said of a portfolio when nothing else is left of it, or that nothing else is.
-- KEYS[1] the portfolio
-- ARGV[1] fields for its state as a JSON object, or "" for the end   ARGV[2] those of its own fields that stay then, with a space between
-- Answers its state as JSON, or "" where it is not being forgotten (any more): nothing is done
local archive = redis.call('HGET', KEYS[1], 'archive')
local state = archive and cjson.decode(archive) or {}
if state.is ~= 'forgetting' then return '' end
if ARGV[1] ~= '' then
  for field, value in pairs(cjson.decode(ARGV[1])) do state[field] = value end
else
  local time = redis.call('TIME')
  state.is, state.sinceMs = 'forgotten', time[1] * 1000 + math.floor(time[2] / 1000)
  local stays = {}
  for field in string.gmatch(ARGV[2], '%S+') do stays[field] = true end
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if not stays[field] then redis.call('HDEL', KEYS[1], field) end
  end
end
archive = cjson.encode(state)
redis.call('HSET', KEYS[1], 'archive', archive)
return archive
