-- Included where a row leaves the queue: those of a paused portfolio stay. While a portfolio sends some rows first (`first` of
-- them), only rows of that set do; the supplier of the portfolio goes before all.
local function mayBegin(portfolio, key, paused, first)
  if paused then return false end
  return not first or redis.call('SISMEMBER', portfolio .. ':first', key) == 1
end
