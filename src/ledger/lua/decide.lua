-- Writes decisions that the service made about limits after its first answer into the limits' calls. A decision takes effect if it is later
-- than what the call says. The call decides alone, so that all rows of a request agree: they follow it (MOVES.follow in rare-moves.lua).
-- @keys account
-- @args …items
-- For each decision: key of the request, limit, status, total, available, at, isDated, latestMs, isTold, by
-- Amounts are decimal text; "" says that none is known. "=" says that the decision does not mention the amount: then the total stays, and
-- the available amount is unknown from then on. at: when it was decided, in ISO 8601. isDated: "0" if the service gave no time.
-- latestMs: the latest moment at which it may have been decided, in ms, or "" if unknown. A decision of before the call was sent is
-- "older" than the call's answer. That is not compared if the call was sent twice, since the answer may belong to either send.
-- isTold: "0" changes nothing. by: who brings the decision and with what, as JSON, for the histories of rows; it is kept only if the
-- decision says something new.
-- Answers for each "taken", "same" (it says what is known), "older" (a later decision is known, or a correction of the same day),
-- "contradicts" (another decision of the same moment is known), "not made" or "damaged".
-- @include amounts
-- @include portfolio-of
-- As many decisions as a row's history has entries (tell.lua).
local MOST_DECISIONS = 50

local function isAlike(one, other)
  if one == other then return true end
  if one == '' or other == '' or not limbsOf(one) or not limbsOf(other) then return false end
  return not isBelow(one, other) and not isBelow(other, one)
end

-- The decisions that a call keeps, as JSON; nil for none, false for text that cannot be read. A ledger of before 27 November 2026 keeps the
-- last one alone, without what was said.
local function listIn(kept, record)
  if not kept then return nil end
  if string.find(kept, '^%[{.*}%]$') then return kept end
  local isRead, last = pcall(cjson.decode, kept)
  if not isRead or type(last) ~= 'table' or not last.by then return false end
  last.said = record
  return cjson.encode({ last })
end

-- Whether a decision that is dated only by day was corrected on that day already. Such a decision counts from the end of the day, and would
-- otherwise override the correction, which counts from the moment when it came. Several lines of one file about that day do not correct
-- each other.
local function isCorrected(kept, at, by, saysIt)
  if not kept or string.sub(at, 11) ~= 'T23:59:59.999Z' then return false end
  local own = cjson.decode(by)
  for _, entry in ipairs(cjson.decode(kept)) do
    local isOwn = entry.by == own.by and entry.file == own.file and entry.at == own.at
    local words = not isOwn and entry.said
    if words and string.sub(words.decided_at or '', 1, 10) == string.sub(at, 1, 10) and saysIt(words) then return true end
  end
  return false
end

-- The decisions that a call keeps, as JSON, with one more entry. The pattern counts entries only: within a JSON text, quotes are written as
-- \".
local function withEntry(kept, entry)
  if not kept then return '[' .. entry .. ']' end
  local _, count = string.gsub(kept, '"said":', '')
  if count >= MOST_DECISIONS then
    local entries = cjson.decode(kept)
    table.remove(entries, 1)
    kept = cjson.encode(entries)
  end
  return string.sub(kept, 1, -2) .. ',' .. entry .. ']'
end

local function decide(key, limit, status, total, available, at, isDated, latestMs, isTold, by)
  local call = ROOT .. ':call:limit:' .. key
  local known = redis.call('HMGET', call, 'id', 'record', 'at', 'sends', 'by', 'decided')
  if known[1] ~= limit then return 'not made' end
  local isRead, record = pcall(cjson.decode, known[2] or '{}')
  if not isRead or type(record) ~= 'table' then return 'damaged' end
  local kept = listIn(known[6], record)
  if kept == false then return 'damaged' end

  -- When the call's only send left, in ms. It is known if the call was answered: the field `at` then has a "+" (settle.lua).
  local sentMs = known[4] == '1' and string.match(known[3] or '', '^(%d+)%+')
  local isBefore = sentMs and latestMs ~= '' and tonumber(latestMs) < tonumber(sentMs)
  local said = { total_limit = total, available_limit = available }

  local function saysIt(words)
    for name, amount in pairs(said) do
      if amount ~= '=' and not isAlike(amountText(words[name]), amount) then return false end
    end
    return (words.status or '') == status
  end

  local isSame = saysIt(record)
  local last = record.decided_at or ''
  if isSame and (isDated == '0' or at <= last or isBefore) then return 'same' end
  if isBefore then return 'older' end
  if at <= last then return at == last and 'contradicts' or 'older' end
  if not isSame and isCorrected(kept, at, by, saysIt) then return 'older' end
  record.decided_at = at
  if not isSame then
    record.status = status
    for name, amount in pairs(said) do
      if amount ~= '=' or name == 'available_limit' then record[name] = amount ~= '' and amount ~= '=' and amount or nil end
    end
  end
  if isTold ~= '0' then
    -- The service's first answer is kept in the field `answered`, if it was the service that gave it.
    local isFirst = last == '' and not kept and not known[5] and known[2] and known[2] ~= '{}'
    if not isSame or not kept then
      local entry = cjson.decode(by)
      entry.said = { status = record.status, total_limit = record.total_limit, available_limit = record.available_limit, decided_at = at }
      kept = withEntry(kept, cjson.encode(entry))
    end
    local fields = { 'record', cjson.encode(record), 'decided', kept }
    if isFirst then fields[5], fields[6] = 'answered', known[2] end
    redis.call('HSET', call, unpack(fields))
  end
  return isSame and 'same' or 'taken'
end

local answers = {}
for place = 1, #items, 10 do
  local isDone, answer = pcall(decide, unpack(items, place, place + 9))
  answers[#answers + 1] = isDone and answer or faultOf(answer)
end
return answers
