-- Made from schema.ts by schema-lua.ts: change that, and not this.
local ROW = { state = true, step = true, line = true, import = true, request = true, rev = true, gen = true, updated = true, tally = true, company = true, documents = true, limit = true, record = true, problem = true, cause = true, putOffs = true, passed = true, overtaken = true, countedAt = true, replaced = true, approval = true, awaits = true, unpassed = true, was = true, answer = true, statements = true, again = true, atNight = true }
local BROUGHT = { 'company', 'documents', 'limit', 'record', 'problem' }
local OPEN = { queued = true, company = true, documents = true, limit = true }
local STEP = { company = true, documents = true, limit = true }
local FAILED = { refused = true, held = true }
local GRANTED = { done = true, skipped = true }
local OUT = { refused = true, skipped = true, cancelled = true }

-- The fields of a row on which places hang, or at which moves look.
local function readRow(hash)
  local found = redis.call('HMGET', hash, 'state', 'step', 'line', 'rev', 'gen', 'tally', 'company', 'documents', 'limit', 'problem', 'cause', 'putOffs', 'passed', 'overtaken', 'countedAt', 'replaced', 'approval', 'awaits', 'unpassed')
  return { state = found[1], step = found[2], line = found[3], rev = found[4], gen = found[5], tally = found[6], company = found[7], documents = found[8], limit = found[9], problem = found[10], cause = found[11], putOffs = found[12], passed = found[13], overtaken = found[14], countedAt = found[15], replaced = found[16], approval = found[17], awaits = found[18], unpassed = found[19] }
end

-- What each move is told, from ARGV[at] on, and how many values that are.
local TOLD = {
  begin = function(at) return { step = ARGV[at + 0] } end,
  claim = function(at) return { kind = ARGV[at + 0], thing = ARGV[at + 1], owner = ARGV[at + 2], revision = ARGV[at + 3], words = ARGV[at + 4], asked = ARGV[at + 5], mark = ARGV[at + 6], link = ARGV[at + 7] } end,
  settle = function(at) return { kind = ARGV[at + 0], thing = ARGV[at + 1], buyer = ARGV[at + 2], owner = ARGV[at + 3], id = ARGV[at + 4], record = ARGV[at + 5] } end,
  advance = function(at) return { from = ARGV[at + 0], to = ARGV[at + 1], revision = ARGV[at + 2], answered = ARGV[at + 3], refusals = ARGV[at + 4], why = ARGV[at + 5], cause = ARGV[at + 6], known = ARGV[at + 7], coarse = ARGV[at + 8], coarseKnown = ARGV[at + 9], told = ARGV[at + 10], granted = ARGV[at + 11], available = ARGV[at + 12], status = ARGV[at + 13], company = ARGV[at + 14], documents = ARGV[at + 15], limit = ARGV[at + 16], record = ARGV[at + 17], problem = ARGV[at + 18] } end,
}
local COUNT = { begin = 1, claim = 8, settle = 6, advance = 19 }
