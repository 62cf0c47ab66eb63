-- Included where sums are added to by the one integer that they are in most cases (plain-tally.lua).
-- Nothing here may fail, since the row may be written already: a field that somebody damaged is left to reconcile.
local function addPlain(sums, field, number)
  if redis.pcall('HINCRBY', sums, field, number) == 0 then redis.call('HDEL', sums, field) end
end
