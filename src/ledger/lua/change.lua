-- Included where rows change: nothing else writes a row, or a place at which it stands. Comes behind derive.lua.
local function countOfApproval(row, now, awaits, asked)
-- @include approval-tally
  local hash = row.portfolio.hash
  if row.awaits then leaveApproval(hash, row.hash, row.key, row.awaits, limbsOf) end
  if awaits then joinApproval(hash, row.hash, row.key, now.line, now.approval, asked, limbsOf(asked)) end
end

local function countOfPeople(row, now, isOut, asked)
-- @include people-passed
  countRow(row.portfolio.hash, row.hash, now.approval, isOut, asked)
end

local function changesOf(row, fields)
  local put, gone = {}, nil
  for name, value in next, fields do
    if value ~= (row[name] or false) then
      if value then
        put[#put + 1], put[#put + 2] = name, value
      else
        gone = gone or {}
        gone[#gone + 1] = name
      end
    end
  end
  return put, gone
end

-- Writes `fields` (false for those that go) and what follows from them: other fields, and the difference between the places at which the
-- row stood and those at which it stands. `given` as nextShare takes it. Answers the row as it is now.
local function change(row, fields, given)
  local now, was = setmetatable(fields, row), shareIn(row.tally)
  local isMoved = now.state ~= row.state
  if isMoved then
    fields.updated = NOW
    if isStepState(now.state) then fields.step = now.state end
    if row.refusal and (now.state == 'refused' or now.state == 'cancelled') then fields.refusal = false end
  end
  if row.cause and not isFailedState(now.state) then fields.cause = false end
  local is = nextShare(now, was, given)
  fields.tally = is.tally
  local awaits = now.state == 'awaiting' and now.approval and now.approval .. '|' .. is.asked or false
  -- What may fail comes first.
  if is.status and searchLevel(row.portfolio) then statusColumns(row.portfolio, is.status) end
  local put, gone = changesOf(row, fields)
  if #put > 0 then redis.call('HSET', row.hash, unpack(put)) end
  if gone then redis.call('HDEL', row.hash, unpack(gone)) end
  movePlaces(row, now, was, is)
  if awaits ~= (row.awaits or false) then countOfApproval(row, now, awaits, is.asked) end
  if now.approval and now.state ~= 'awaiting' then
    local isOut = isOutState(now.state)
    if isOut ~= (row.unpassed == now.approval) then countOfPeople(row, now, isOut, is.asked) end
  end
  if isMoved then
    if isOpen(now.state) then row.portfolio.opens = true else row.portfolio.ends = true end
  end
  return now
end
