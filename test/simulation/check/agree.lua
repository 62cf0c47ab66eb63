-- Says where counts, sums, causes or indexes differ from what the rows say. Written from docs and keys alone: it includes no script of the product.
-- ARGV[1] what the account's keys begin with   ARGV[2] 1 where every key is looked at, and not those alone that sets name
-- Answers what differs, a sentence each.
local root, full = ARGV[1], ARGV[2] == '1'
local STATES = { 'queued', 'company', 'documents', 'limit', 'done', 'refused', 'held', 'skipped', 'cancelled', 'awaiting' }
local found = {}
local function bad(...) found[#found + 1] = table.concat({ ... }, ' ') end

-- Amounts of small worlds are whole numbers far below 10^8, so that each is one limb of units of a hundredth.
local function units(text) return math.floor(tonumber(text or '') and tonumber(text) * 100 + 0.5 or 0) end

local heldRows, rowsOfBuyer, rowsSeen = {}, {}, {}
for _, name in ipairs(redis.call('ZRANGE', root .. ':portfolios', 0, -1)) do
  local portfolio = root .. ':portfolio:' .. name
  local head = redis.call('HMGET', portfolio, 'archive', 'finished', 'side', 'paused')
  if not head[1] then
    local sums, causes, isOpen, count = {}, {}, false, 0
    local function add(field, number) sums[field] = (sums[field] or 0) + number end
    for _, state in ipairs(STATES) do
      local set = redis.call('ZRANGE', portfolio .. ':state:' .. state, 0, -1, 'WITHSCORES')
      for at = 1, #set, 2 do
        local key, row = set[at], root .. ':row:' .. name .. ':' .. set[at]
        local of = redis.call('HMGET', row, 'state', 'line', 'request', 'record', 'cause', 'approval', 'replaced', 'tally')
        count = count + 1
        if rowsSeen[name .. '/' .. key] then bad(name, key, 'stands in two states') end
        rowsSeen[name .. '/' .. key] = true
        if of[1] ~= state then bad(name, key, 'is', of[1] or 'gone', 'and stands among', state) end
        if of[2] ~= set[at + 1] then bad(name, key, 'has line', of[2] or 'none', 'and stands at', set[at + 1]) end
        if of[3] then
          local request = cjson.decode(of[3])
          local asks = request.limit.requested_limit
          local bucket = of[7] and state == 'cancelled' and 'replaced' or state
          add('rows', 1)
          if bucket == 'replaced' then add('replaced', 1) end
          add('sum:' .. bucket .. ':0', units(asks))
          rowsOfBuyer[request.buyer] = rowsOfBuyer[request.buyer] or {}
          rowsOfBuyer[request.buyer][name .. '/' .. key] = asks
          if state == 'done' then
            local record = cjson.decode(of[4] or '{}')
            local granted, available = units(record.total_limit), units(record.available_limit)
            if record.status then add('status:' .. record.status, 1) end
            if tonumber(record.total_limit) and granted < units(asks) then
              add((granted == 0 and 'nothing:' or 'below:') .. (record.status or ''), 1)
            end
            -- Enough, less, nothing, or unknown (derive.lua).
            local share = not tonumber(record.total_limit) and '7' or granted == 0 and '6' or granted < units(asks) and '5' or '4'
            local answer = share .. (record.status or '')
            add('answer:' .. answer, 1)
            add('sum:asked/' .. answer .. ':0', units(asks))
            if granted > 0 then add('sum:given/' .. answer .. ':0', granted) end
            if not tonumber(record.available_limit) then add('unsaid:' .. answer, 1) end
            if available > 0 then add('sum:free/' .. answer .. ':0', available) end
          end
          if state == 'skipped' then
            local record = cjson.decode(of[4] or '{}')
            local granted = units(record.total_limit)
            add('skipped', 1)
            local share = not tonumber(record.total_limit) and '7' or granted == 0 and '6' or granted < units(asks) and '5' or '4'
            if granted > 0 then add('sum:before/' .. share .. (record.status or '') .. ':0', granted) end
            add('earlier:' .. (record.status or ''), 1)
            if tonumber(record.total_limit) and granted < units(asks) then
              add((granted == 0 and 'nothing:' or 'below:') .. (record.status or ''), 1)
            end
          end
          if state == 'refused' or state == 'held' then
            if of[5] then
              causes[of[5]] = causes[of[5]] or {}
              causes[of[5]][key] = true
              add('cause:' .. of[5], 1)
              add('sum:cause/' .. of[5] .. ':0', units(asks))
            end
          elseif of[5] then
            bad(name, key, 'is', state, 'and has a cause')
          end
        end
        if state == 'held' then heldRows[name .. '/' .. key] = true end
        if state == 'awaiting' then
          local approval = of[6] and redis.call('HMGET', root .. ':approval:' .. of[6], 'standing')
          if not approval or not approval[1] then bad(name, key, 'awaits an approval that is not there') end
          if of[6] and not redis.call('ZSCORE', portfolio .. ':approval:' .. of[6], key) then
            bad(name, key, 'awaits', of[6], 'and is none of its rows')
          end
        end
        if state ~= 'done' and state ~= 'refused' and state ~= 'held' and state ~= 'skipped' and state ~= 'cancelled' then isOpen = true end
      end
    end
    if head[2] and isOpen then bad(name, 'is finished and has open rows') end
    local kept = {}
    for _, side in ipairs({ 'a', 'b' }) do
      local hash = redis.call('HGETALL', portfolio .. ':sums:' .. side)
      for at = 1, #hash, 2 do kept[hash[at]] = (kept[hash[at]] or 0) + tonumber(hash[at + 1]) end
    end
    for field, number in pairs(sums) do
      if number ~= 0 and (kept[field] or 0) ~= number then
        bad(name, 'keeps', field, 'as', tostring(kept[field]), 'and its rows say', tostring(number))
      end
    end
    for field, number in pairs(kept) do
      local known = string.match(field, '^%a+:?') ~= 'earlier:' and string.match(field, '^sum:before') == nil
        and string.match(field, '^sum:skipped') == nil
      if known and number ~= 0 and (sums[field] or 0) ~= number then bad(name, 'keeps', field, tostring(number), 'too much') end
    end
    for cause, rows in pairs(causes) do
      if redis.call('HEXISTS', portfolio .. ':causes', cause) == 0 then bad(name, 'knows nothing of the cause', cause) end
      local set = redis.call('ZRANGE', portfolio .. ':cause:' .. cause, 0, -1)
      for _, key in ipairs(set) do
        if not rows[key] then bad(name, key, 'stands under the cause', cause) end
        rows[key] = nil
      end
      for key in pairs(rows) do bad(name, key, 'does not stand under its cause', cause) end
    end
    for _, cause in ipairs(redis.call('HKEYS', portfolio .. ':causes')) do
      if not causes[cause] then bad(name, 'keeps the cause', cause, 'of no row') end
    end
    if full then
      local columns = 0
      for _, key in ipairs(redis.call('KEYS', '*:portfolio:' .. name .. ':column:*')) do columns = columns + redis.call('ZCARD', key) end
      if columns > 0 and columns ~= count then bad(name, 'has', tostring(count), 'rows and', tostring(columns), 'amounts in its columns') end
      local names = redis.call('ZCARD', portfolio .. ':names')
      if names > 0 and names ~= count then bad(name, 'has', tostring(count), 'rows and', tostring(names), 'names') end
      local changed = redis.call('ZCARD', portfolio .. ':changed')
      if names > 0 and changed ~= count then bad(name, 'has', tostring(count), 'rows and', tostring(changed), 'of them by change') end
    end
  end
end

local held = redis.call('ZRANGE', root .. ':held', 0, -1)
for _, name in ipairs(held) do
  if not heldRows[name] then bad(name, 'is listed as held') end
  heldRows[name] = nil
end
for name in pairs(heldRows) do bad(name, 'is held, and not listed so') end
for buyer, rows in pairs(rowsOfBuyer) do
  for name, amount in pairs(rows) do
    local kept = redis.call('HGET', root .. ':buyer:' .. buyer .. ':rows', name)
    if kept ~= amount then bad(name, 'asks for', amount, 'and its buyer knows', kept or 'nothing') end
  end
end
for _, name in ipairs(redis.call('ZRANGE', root .. ':approvals', 0, -1)) do
  local standing = redis.call('HGET', root .. ':approval:' .. string.match(name, '([^/]*)$'), 'standing')
  if standing ~= 'waiting' then bad('the approval', name, 'is listed as waiting, and is', standing or 'gone') end
end
if full then
  for _, key in ipairs(redis.call('KEYS', '*:row:*')) do
    local name, row = string.match(key, ':row:([^:]*):([^:]*)$')
    local isRow = name and not string.find(key, ':story$') and redis.call('TYPE', key).ok == 'hash'
    local here = isRow and redis.call('HEXISTS', root .. ':portfolio:' .. name, 'archive') == 0
    if here and not rowsSeen[name .. '/' .. row] then bad(name, row, 'is', redis.call('HGET', key, 'state') or '', 'and stands in no set') end
  end
  local made = { company = 0, document = 0, limit = 0 }
  for _, key in ipairs(redis.call('KEYS', '*:call:*')) do
    local kind, of = string.match(key, ':call:(%l+):'), redis.call('HMGET', key, 'state', 'id', 'open', 'sends')
    if of[1] == 'made' and kind then made[kind] = made[kind] + 1 end
    if of[1] == 'made' and not of[2] then bad(key, 'is made and has no id') end
    if of[1] == 'unknown' and tonumber(of[3] or 0) < 1 then bad(key, 'is unknown, and no send is in doubt') end
    if of[1] == 'unknown' and tonumber(of[3] or 0) > tonumber(of[4] or 1) then bad(key, 'was sent', of[4], 'times, and more are in doubt') end
    if of[1] == 'made' and tonumber(of[3] or 0) > 0 then bad(key, 'is made, and a send is in doubt') end
    if of[1] == 'free' and tonumber(of[3] or 0) > 0 then bad(key, 'is free, and a send is in doubt') end
    if tonumber(of[3] or 0) < 0 then bad(key, 'has', of[3], 'sends in doubt') end
  end
  for kind, count in pairs(made) do
    local kept = tonumber(redis.call('HGET', root .. ':account', 'made:' .. kind) or 0)
    if kept ~= count then bad('the account counts', tostring(kept), 'of', kind, 'made, and there are', tostring(count)) end
  end
end
return found
