-- All that stands in this database: key, type and content of each, key by key. It includes no script of the product.
local keys = redis.call('KEYS', '*')
table.sort(keys)
local found = {}
for at, key in ipairs(keys) do
  local type, content = redis.call('TYPE', key).ok, ''
  if type == 'hash' then content = redis.call('HGETALL', key) end
  if type == 'zset' then content = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
  if type == 'set' then content = redis.call('SMEMBERS', key) end
  if type == 'list' then content = redis.call('LRANGE', key, 0, -1) end
  if type == 'string' then content = redis.call('GET', key) end
  found[at] = { key, content, type }
end
return found
