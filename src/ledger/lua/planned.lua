-- Included by the scripts that move a row as a part of a plan. A row that changed since the plan was made is left as it is,
-- and the plan counts what was done in the same step that does it: so it is exact, also where a script runs twice.
-- `before` is the moment of the plan in ms, or "" where the row is moved for itself.
local function isAsPlanned(row, before)
  if before == '' then return true end
  return tonumber(redis.call('HGET', row, 'updated') or 0) < tonumber(before)
end

local function notePlanned(plan, before)
  if before ~= '' then redis.call('HINCRBY', plan, 'done', 1) end
end
