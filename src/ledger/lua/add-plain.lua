-- Included before plain-tally.lua by scripts that serve one row.
-- Nothing here may fail, since the row may be written already: a field that somebody damaged is left to reconcile.
local function addPlain(sums, field, number)
  if redis.pcall('HINCRBY', sums, field, number) == 0 then redis.call('HDEL', sums, field) end
end
