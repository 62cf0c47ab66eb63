-- Included where a refused row goes again by an operator's rule, or comes to wait for that: its night is counted in the step that
-- moves it. `night` is "" where somebody means the row, else "<rule> <moment of the night in ms> <nights at most> <when a rule was made
-- for the portfolio by its name, in ms>". `atNight` of a row is "<nights> <moment of the last in ms> <revision>": with other words it
-- begins anew. The account's retry rules stand by their ids, and of each "<rule> last": "<moment of the night in ms> <sent> <waiting>".
local ONE_NIGHT, RULES = 43200000, ROOT .. ':retry-rules'

-- How many nights the row has had, and when the last was.
local function nightsOf(row)
  local nights, last, of = string.match(row.atNight or '', '^(%d+) (%d+) (%d+)$')
  if of ~= (row.rev or '0') then return 0 end
  return tonumber(nights), tonumber(last)
end

-- Whether the row's portfolio was put back from an archive, and nobody touched the row or made a rule for that portfolio since.
local function isForALook(row, named)
  local restored = redis.call('ZSCORE', ROOT .. ':restored', row.portfolio.name)
  return math.max(tonumber(laterOf(row, 'updated')), tonumber(named)) <= tonumber(restored or 0)
end

-- Not where the rule was removed, the portfolio paused or the row given up with it, nor where it was restored for a look; not twice a
-- night, and no more nights than it may.
local function mayGoTonight(row, night)
  if night == '' then return true end
  local rule, at, most, named = string.match(night, '^(%S+) (%d+) (%d+) (%d+)$')
  if redis.call('HEXISTS', RULES, rule) == 0 or row.portfolio.paused then return false end
  if isGivenUpRow(row) or isForALook(row, named) then return false end
  local nights, last = nightsOf(row)
  return nights < tonumber(most) and not (last and math.abs(tonumber(at) - last) < ONE_NIGHT)
end

-- What the row remembers of its nights behind this one; nothing new where somebody means it.
local function nightBehind(row, night)
  if night == '' then return row.atNight end
  return (nightsOf(row) + 1) .. ' ' .. string.match(night, '^%S+ (%d+) ') .. ' ' .. (row.rev or '0')
end

local function noteNight(night, waits)
  if night == '' then return end
  local rule, at = string.match(night, '^(%S+) (%d+) ')
  local last, sent, waiting = string.match(redis.call('HGET', RULES, rule .. ' last') or '', '^(%d+) (%d+) (%d+)$')
  if last ~= at then sent, waiting = 0, 0 end
  redis.call('HSET', RULES, rule .. ' last', at .. ' ' .. sent + (waits and 0 or 1) .. ' ' .. waiting + (waits and 1 or 0))
end
