-- Made from schema.ts by schema-lua.ts: change that, and not this.
local BROUGHT = { 'company', 'documents', 'limit', 'record', 'problem' }
local function isStepState(state) return state == 'company' or state == 'documents' or state == 'limit' end

local function isFailedState(state) return state == 'refused' or state == 'held' end

local function isGrantedState(state) return state == 'done' or state == 'skipped' end

local function isOutState(state) return state == 'refused' or state == 'skipped' or state == 'cancelled' end

-- What is read of a row at first; who has more fields than that and those that every row has is read whole.
local function readRow(hash)
  local found, has = redis.call('HMGET', hash, 'state', 'step', 'line', 'rev', 'gen', 'tally', 'company', 'documents', 'limit', 'approval'), 3
  for at = 1, 10 do if found[at] then has = has + 1 end end
  local row = { state = found[1], step = found[2], line = found[3], rev = found[4], gen = found[5], tally = found[6], company = found[7], documents = found[8], limit = found[9], approval = found[10] }
  if not row.state or redis.call('HLEN', hash) == has then return row end
  found = redis.call('HGETALL', hash)
  for at = 1, #found, 2 do row[found[at]] = found[at + 1] end
  return row
end

-- What a move is told, from ARGV[at] on, by name; and where the next one begins.
local function toldOf(move, at)
  if move == 'begin' then return { step = ARGV[at + 0] }, at + 1 end
  if move == 'claim' then return { kind = ARGV[at + 0], thing = ARGV[at + 1], owner = ARGV[at + 2], revision = ARGV[at + 3], words = ARGV[at + 4], asked = ARGV[at + 5], mark = ARGV[at + 6], link = ARGV[at + 7], onUnknown = ARGV[at + 8], sends = ARGV[at + 9], withinMs = ARGV[at + 10], vanishedAfterMs = ARGV[at + 11], disputedAfterMs = ARGV[at + 12] }, at + 13 end
  if move == 'settle' then return { kind = ARGV[at + 0], thing = ARGV[at + 1], owner = ARGV[at + 2], buyer = ARGV[at + 3], id = ARGV[at + 4], record = ARGV[at + 5], accepted = ARGV[at + 6] }, at + 7 end
  if move == 'release' then return { kind = ARGV[at + 0], thing = ARGV[at + 1], owner = ARGV[at + 2], why = ARGV[at + 3], status = ARGV[at + 4], body = ARGV[at + 5], revision = ARGV[at + 6], mostPutOffs = ARGV[at + 7] }, at + 8 end
  if move == 'doubt' then return { kind = ARGV[at + 0], thing = ARGV[at + 1], owner = ARGV[at + 2], heard = ARGV[at + 3], sends = ARGV[at + 4], withinMs = ARGV[at + 5], firstWaitMs = ARGV[at + 6], longestWaitMs = ARGV[at + 7], others = ARGV[at + 8] }, at + 9 end
  if move == 'advance' then return { from = ARGV[at + 0], to = ARGV[at + 1], revision = ARGV[at + 2], answered = ARGV[at + 3], refusals = ARGV[at + 4], why = ARGV[at + 5], failed = ARGV[at + 6], told = ARGV[at + 7], granted = ARGV[at + 8], available = ARGV[at + 9], status = ARGV[at + 10], company = ARGV[at + 11], documents = ARGV[at + 12], limit = ARGV[at + 13], record = ARGV[at + 14], problem = ARGV[at + 15] }, at + 16 end
  if move == 'giveUp' then return { from = ARGV[at + 0], plan = ARGV[at + 1], before = ARGV[at + 2], told = ARGV[at + 3], calls = ARGV[at + 4], vanishedAfterMs = ARGV[at + 5] }, at + 6 end
  if move == 'leaveOut' then return { import = ARGV[at + 0], begun = ARGV[at + 1], problem = ARGV[at + 2] }, at + 3 end
  if move == 'requeue' then return { from = ARGV[at + 0], plan = ARGV[at + 1], before = ARGV[at + 2], told = ARGV[at + 3], night = ARGV[at + 4], isMeant = ARGV[at + 5], asks = ARGV[at + 6], above = ARGV[at + 7], person = ARGV[at + 8], days = ARGV[at + 9] }, at + 10 end
  if move == 'await' then return { from = ARGV[at + 0], plan = ARGV[at + 1], before = ARGV[at + 2], told = ARGV[at + 3], night = ARGV[at + 4], approval = ARGV[at + 5], answer = ARGV[at + 6], of = ARGV[at + 7], asOf = ARGV[at + 8], written = ARGV[at + 9] }, at + 10 end
  if move == 'put' then return { line = ARGV[at + 0], import = ARGV[at + 1], request = ARGV[at + 2], buyer = ARGV[at + 3], step = ARGV[at + 4], amount = ARGV[at + 5], asked = ARGV[at + 6], gen = ARGV[at + 7], seen = ARGV[at + 8], isNew = ARGV[at + 9], old = ARGV[at + 10], problem = ARGV[at + 11], takes = ARGV[at + 12], words = ARGV[at + 13], approval = ARGV[at + 14], statements = ARGV[at + 15], known = ARGV[at + 16], before = ARGV[at + 17] }, at + 18 end
  if move == 'free' then return { approval = ARGV[at + 0] }, at + 1 end
  if move == 'goAnswered' then return { approval = ARGV[at + 0] }, at + 1 end
  if move == 'holdAgain' then return { approval = ARGV[at + 0] }, at + 1 end
  if move == 'carriedOut' then return { approval = ARGV[at + 0] }, at + 1 end
end
