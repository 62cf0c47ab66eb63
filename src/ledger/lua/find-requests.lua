-- Finds the rows of some requests in the newest portfolios.
-- @keys portfolios rows
-- All portfolios, and what the keys of rows begin with.
-- @args most …requests
-- most: portfolios at most; requests: keys of rows.
-- Answers "<portfolio>/<row key>" of each.
local found = {}
for _, name in ipairs(redis.call('ZREVRANGE', portfolios, 0, most - 1)) do
  for _, request in ipairs(requests) do
    if redis.call('EXISTS', rows .. name .. ':' .. request) == 1 then found[#found + 1] = name .. '/' .. request end
  end
end
return found
