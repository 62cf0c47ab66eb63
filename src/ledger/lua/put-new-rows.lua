-- Brings lines into the ledger as it goes for most: the row of each is new, and waits. Whatever is more than that is passed over, and
-- put-row.lua looks into it. Each row is put whole or not at all; what all of them add to sums and indexes is written once.
-- KEYS[1] the portfolio   KEYS[2] what the keys of its rows begin with   KEYS[3] those of limit calls   KEYS[4] those of buyers
-- ARGV[1] import   ARGV[2] how often the portfolio had been cancelled when the import began
-- ARGV[3] the portfolio's name   ARGV[4] the open approval with which the rows wait for another person, or "" where none is asked for
-- ARGV[5…] of each line nine: its row's key, line, buyer, how many requests that buyer had when somebody looked, the request as JSON,
--   its first step, the requested limit, the words that the row is searched by (index-entries.lua) or "", and the date of its
--   statements or "", as put-row.lua takes them
-- @brings-in
-- Answers the places of the lines that were passed over, from 1 on
-- @include nearly-full
-- @include move
-- @include add-plain
-- @include plain-tally
-- @include approval-tally
-- @include archived
-- @include index-entries
-- @include columns
-- @include made-ids
-- @include note-alike
local portfolio, rows, limits, buyers = unpack(KEYS)
local import, gen, name, approval = unpack(ARGV, 1, 4)
local OF_LINE = 9
local refused = archivedError(portfolio) or fullError()
if refused then return refused end
local known = redis.call('HMGET', portfolio, 'importing', 'finished', 'cancels', 'side')
local side, now = known[4] or 'a', nowText()
local waits = approval == '' and 'queued' or 'awaiting'
-- What came to be otherwise since the import began.
local isLate = tonumber(gen) < tonumber(known[3] or 0) or approval ~= '' and standingOf(portfolio, approval) ~= 'open'

-- All of it is looked at first: nothing may fail between the writes.
local passed, put, taken, takenBuyers, sum = {}, {}, {}, {}, 0
for at = 5, #ARGV, OF_LINE do
  local key, buyer, amount = ARGV[at], ARGV[at + 2], ARGV[at + 6]
  local units = not isLate and not taken[key] and not takenBuyers[buyer] and plainUnits(amount)
  if units and redis.call('EXISTS', rows .. key, limits .. key) == 0
    and (ARGV[at + 3] == '0' or redis.call('HEXISTS', buyers .. buyer .. ':rows', name .. '/' .. key) == 0)
    and redis.call('HLEN', buyers .. buyer .. ':rows') == tonumber(ARGV[at + 3]) then
    put[#put + 1], taken[key], takenBuyers[buyer] = at, true, true
    sum = sum + tonumber(units)
  else
    passed[#passed + 1] = (at - 5) / OF_LINE + 1
  end
end
if #put == 0 then return passed end

local waiting, names = {}, {}
for _, at in ipairs(put) do
  local key, line, buyer, _, request, step, amount, words, statements = unpack(ARGV, at, at + OF_LINE - 1)
  local row = rows .. key
  redis.call('HSET', row, 'line', line, 'import', import, 'request', request, 'step', step, 'gen', gen, 'state', waits,
    'updated', now, 'tally', side .. '|' .. waits .. '|' .. amount)
  if statements ~= '' then redis.call('HSET', row, 'statements', statements) end
  if approval ~= '' then
    redis.call('HSET', row, 'approval', approval)
    joinApproval(portfolio, row, key, line, approval, amount, { [0] = tonumber(plainUnits(amount)) })
  end
  redis.call('HSET', buyers .. buyer .. ':rows', name .. '/' .. key, amount)
  noteCompanyOf(buyers .. buyer .. ':rows', request)
  waiting[#waiting + 1], waiting[#waiting + 2] = line, key
  if words ~= '' then
    names[#names + 1], names[#names + 2] = '0', string.sub(words, string.find(words, '\n', 1, true) + 1) .. '\0' .. key
  end
end
redis.call('ZADD', portfolio .. ':state:' .. waits, unpack(waiting))
addPlain(portfolio .. ':sums:' .. side, 'rows', #put)
addPlain(portfolio .. ':sums:' .. side, 'sum:' .. waits .. ':0', string.format('%.0f', sum))
redis.call('HINCRBY', portfolio, 'added:' .. import, #put)
if #names > 0 then
  redis.call('ZADD', namesOf(portfolio), unpack(names))
  local level, kinds, columns = levelOf(portfolio), {}, {}
  for _, at in ipairs(put) do
    local key, line, amount, words = ARGV[at], ARGV[at + 1], ARGV[at + 6], ARGV[at + 7]
    for from = 1, string.find(words, '\n', 1, true) - 12, 13 do addId(portfolio, string.sub(words, from, from + 11), key, level) end
    local column, kind = columnOf(portfolio, { line = tonumber(line), amount = amount, status = '' })
    kinds[kind] = true
    local entries = columns[column] or {}
    entries[#entries + 1], entries[#entries + 2], columns[column] = amount, key, entries
  end
  for column, entries in pairs(columns) do redis.call('ZADD', column, unpack(entries)) end
  for kind in pairs(kinds) do redis.call('SADD', portfolio .. ':columns', kind) end
end
noteFinish(portfolio, now, true, known)
return passed
