-- Made from schema.ts by schema-lua.ts: change that, and not this.
local STATES = { queued = true, company = true, documents = true, limit = true, done = true, refused = true, held = true, skipped = true, cancelled = true, awaiting = true }
local OPEN = { queued = true, company = true, documents = true, limit = true }
local STEP = { company = true, documents = true, limit = true }
local FAILED = { refused = true, held = true }
local GRANTED = { done = true, skipped = true }
local OUT = { refused = true, skipped = true, cancelled = true }
local BROUGHT = { 'company', 'documents', 'limit', 'record', 'problem' }

-- A field that a row has not is false.
local ROW = { __index = { state = false, step = false, line = false, import = false, request = false, rev = false, gen = false, updated = false, tally = false, company = false, documents = false, limit = false, record = false, problem = false, cause = false, putOffs = false, passed = false, overtaken = false, countedAt = false, replaced = false, approval = false, awaits = false, unpassed = false, was = false, answer = false, statements = false, again = false, atNight = false } }
-- Every row has so many fields that are not read at first.
local ALWAYS = 3
-- What is read of a row at first, and how many fields that are.
local function readRow(hash)
  local found, has = redis.call('HMGET', hash, 'state', 'step', 'line', 'rev', 'gen', 'tally', 'company', 'documents', 'limit', 'approval'), 0
  for at = 1, 10 do if found[at] then has = has + 1 end end
  return { state = found[1], step = found[2], line = found[3], rev = found[4], gen = found[5], tally = found[6], company = found[7], documents = found[8], limit = found[9], approval = found[10] }, has
end

-- What each move is told, from ARGV[at] on: until the next one is read. And how many values that are.
local IT = { begin = {}, claim = {}, settle = {}, advance = {} }
local TOLD = { begin = function(at)
  local it = IT.begin
  it.step = ARGV[at + 0]
  return it
end, claim = function(at)
  local it = IT.claim
  it.kind = ARGV[at + 0]
  it.thing = ARGV[at + 1]
  it.owner = ARGV[at + 2]
  it.revision = ARGV[at + 3]
  it.words = ARGV[at + 4]
  it.asked = ARGV[at + 5]
  it.mark = ARGV[at + 6]
  it.link = ARGV[at + 7]
  return it
end, settle = function(at)
  local it = IT.settle
  it.kind = ARGV[at + 0]
  it.thing = ARGV[at + 1]
  it.buyer = ARGV[at + 2]
  it.owner = ARGV[at + 3]
  it.id = ARGV[at + 4]
  it.record = ARGV[at + 5]
  return it
end, advance = function(at)
  local it = IT.advance
  it.from = ARGV[at + 0]
  it.to = ARGV[at + 1]
  it.revision = ARGV[at + 2]
  it.answered = ARGV[at + 3]
  it.refusals = ARGV[at + 4]
  it.why = ARGV[at + 5]
  it.failed = ARGV[at + 6]
  it.told = ARGV[at + 7]
  it.granted = ARGV[at + 8]
  it.available = ARGV[at + 9]
  it.status = ARGV[at + 10]
  it.company = ARGV[at + 11]
  it.documents = ARGV[at + 12]
  it.limit = ARGV[at + 13]
  it.record = ARGV[at + 14]
  it.problem = ARGV[at + 15]
  return it
end }
local COUNT = { begin = 1, claim = 8, settle = 6, advance = 16 }
