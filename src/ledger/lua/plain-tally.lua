-- Included where most rows go the way that most rows go: from one open state to another, or to "done".
-- What that changes of the sums is known without looking at the row again; all else is tally.lua's, which says the same of these.
-- Comes behind move.lua, and what adds to a sum: add-plain.lua, or gathered.lua where many rows are served at once.
-- Answers an amount as the one integer that it is in a sum (amounts.lua), as text, or nil for one that needs more than that.
local function plainUnits(amount)
  local whole, point, cents = string.match(amount, '^([1-9]%d?%d?%d?%d?%d?%d?%d?)(%.?)(%d?%d?)$')
  if not whole or (point == '') ~= (cents == '') then return nil end
  return whole .. (cents == '' and '00' or #cents == 1 and cents .. '0' or cents)
end

-- A row goes from one open state to another, or to "done", with `granted`, `available` and `status` as the service answered them.
-- Answers what it adds from now on, or nil where nothing was changed, since tally.lua has to look at it.
local function tallyMove(portfolio, tally, from, to, granted, available, status)
  local side, bucket, amount = string.match(tally or '', '^([ab])|(%a+)|([%d.]+)$')
  local units = bucket == from and isOpen(from) and plainUnits(amount)
  if not units then return nil end
  local sums, now = portfolio .. ':sums:' .. side, side .. '|' .. to .. '|' .. amount
  if to == 'done' then
    local got = (granted == '' or granted == '0') and '0' or plainUnits(granted)
    local left = (available == '' or available == '0') and '0' or plainUnits(available)
    if not got or not left or status == '?' or #status > 100 then return nil end
    local share = granted ~= '' and tonumber(got) < tonumber(units) and (got == '0' and '3' or '2') or ''
    now = now .. '|' .. granted .. '|' .. available .. '|' .. share .. '||' .. status
    if got ~= '0' then addPlain(sums, 'sum:granted:0', got) end
    if left ~= '0' then addPlain(sums, 'sum:available:0', left) end
    if share ~= '' then addPlain(sums, (share == '3' and 'nothing:' or 'below:') .. status, '1') end
    if status ~= '' then addPlain(sums, 'status:' .. status, '1') end
  elseif not isOpen(to) then
    return nil
  end
  addPlain(sums, 'sum:' .. from .. ':0', '-' .. units)
  addPlain(sums, 'sum:' .. to .. ':0', units)
  return now
end
