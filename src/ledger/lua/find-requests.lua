-- Finds the rows of some requests in some portfolios, the newest first.
-- @keys portfolios rows
-- All portfolios, and what the keys of rows begin with.
-- @args from to …requests
-- from, to: indexes of the first and the last portfolio; requests: keys of rows.
-- Answers "<portfolio>/<row key>" of each.
local found = {}
for _, name in ipairs(redis.call('ZREVRANGE', portfolios, from, to)) do
  for _, request in ipairs(requests) do
    if redis.call('EXISTS', rows .. name .. ':' .. request) == 1 then found[#found + 1] = name .. '/' .. request end
  end
end
return found
