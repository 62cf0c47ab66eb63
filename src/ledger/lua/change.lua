-- Included where rows change: nothing else writes a row, or a place at which it stands. Comes behind derive.lua.
local function countOfApproval(row, now)
-- @include approval-tally
  local hash = row.portfolio.hash
  if row.awaits then leaveApproval(hash, row.hash, row.key, row.awaits, limbsOf) end
  if now.awaits then joinApproval(hash, row.hash, row.key, now.line, now.approval, now.asked, limbsOf(now.asked)) end
end

local function countOfPeople(row, now, isOut)
-- @include people-passed
  countRow(row.portfolio.hash, row.hash, now.approval, isOut, now.asked)
end

-- Writes `fields` (false for those that go) and what follows from them: other fields, and the difference between the places at which the
-- row stood and those at which it stands. `given` as deriveFields takes it. Answers the row as it is now.
local function change(row, fields, given)
  local portfolio, now = row.portfolio, setmetatable(fields, { __index = row })
  local isMoved = now.state ~= row.state
  if isMoved then
    fields.updated = NOW
    if STEP[now.state] then fields.step = now.state end
  end
  deriveFields(row, now, given)
  local put, gone, touched = {}, {}, {}
  for name, value in pairs(fields) do
    -- A field that was not read may have been anything.
    if value ~= rawget(row, name) then
      if ROW[name] then
        if value then
          put[#put + 1], put[#put + 2] = name, value
        else
          gone[#gone + 1] = name
        end
      end
      for _, place in ipairs(HANGS[name] or {}) do touched[place] = true end
    end
  end
  -- What may fail comes first.
  if (touched.ids or touched.column) and searchLevel(portfolio) then statusColumns(portfolio, now.status) end
  if #put > 0 then redis.call('HSET', row.hash, unpack(put)) end
  if #gone > 0 then redis.call('HDEL', row.hash, unpack(gone)) end
  for place in pairs(touched) do
    PLACES[place](row, -1)
    PLACES[place](now, 1)
  end
  if touched.ids then standUnderIds(portfolio, row.key) end
  if now.awaits ~= row.awaits then countOfApproval(row, now) end
  if now.approval and now.state ~= 'awaiting' then
    local isOut = OUT[now.state] or false
    if isOut ~= (row.unpassed == now.approval) then countOfPeople(row, now, isOut) end
  end
  if isMoved then
    if OPEN[now.state] then portfolio.opens = true else portfolio.ends = true end
  end
  return now
end
