-- Included where a refused row goes again by an operator's rule, or comes to wait for that: its night is counted in the step that
-- moves it. Comes behind cancelled.lua. `night` is "" where somebody means the row, else "<rule> <moment of the night in ms> <nights
-- at most> <when a rule was made for the portfolio by its name, in ms>". `atNight` of a row is "<nights> <moment of the last in ms>
-- <revision>": with other words it begins anew.
-- `rules` has the rules by their ids, and of each "<rule> last": "<moment of the night in ms> <sent> <waiting>".
local ONE_NIGHT = 43200000

-- How many nights the row has had, when the last was, and the revision of its words.
local function nightsOf(row)
  local found = redis.call('HMGET', row, 'atNight', 'rev')
  local nights, last, of = string.match(found[1] or '', '^(%d+) (%d+) (%d+)$')
  local revision = found[2] or '0'
  if of ~= revision then return 0, nil, revision end
  return tonumber(nights), tonumber(last), revision
end

-- Whether the row's portfolio was put back from an archive, and nobody touched the row or made a rule for that portfolio since.
local function isForALook(portfolio, row, rules, named)
  local restored = redis.call('ZSCORE', string.gsub(rules, 'retry%-rules$', 'restored'), string.match(portfolio, '([^:]*)$'))
  return math.max(tonumber(redis.call('HGET', row, 'updated')), tonumber(named)) <= tonumber(restored or 0)
end

-- Not where the rule was removed, the portfolio paused or the row given up with it, nor where it was restored for a look; not twice a
-- night, and no more nights than it may.
local function mayGoTonight(portfolio, row, rules, night)
  if night == '' then return true end
  local rule, at, most, named = string.match(night, '^(%S+) (%d+) (%d+) (%d+)$')
  if redis.call('HEXISTS', rules, rule) == 0 or redis.call('HEXISTS', portfolio, 'paused') == 1 then return false end
  if isCancelled(portfolio, row) or isForALook(portfolio, row, rules, named) then return false end
  local nights, last = nightsOf(row)
  return nights < tonumber(most) and not (last and math.abs(tonumber(at) - last) < ONE_NIGHT)
end

local function noteNight(row, rules, night, waits)
  if night == '' then return end
  local rule, at = string.match(night, '^(%S+) (%d+) ')
  local nights, _, revision = nightsOf(row)
  redis.call('HSET', row, 'atNight', (nights + 1) .. ' ' .. at .. ' ' .. revision)
  local last, sent, waiting = string.match(redis.call('HGET', rules, rule .. ' last') or '', '^(%d+) (%d+) (%d+)$')
  if last ~= at then sent, waiting = 0, 0 end
  redis.call('HSET', rules, rule .. ' last', at .. ' ' .. sent + (waits and 0 or 1) .. ' ' .. waiting + (waits and 1 or 0))
end
