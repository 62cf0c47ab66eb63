-- Made from schema.ts by schema-lua.ts: change that, and not this.
local BROUGHT = { 'company', 'documents', 'limit', 'record', 'problem' }
local function isStepState(state) return state == 'company' or state == 'documents' or state == 'limit' end

local function isFailedState(state) return state == 'refused' or state == 'held' end

local function isGrantedState(state) return state == 'done' or state == 'skipped' end

local function isOutState(state) return state == 'refused' or state == 'skipped' or state == 'cancelled' end

-- Reads the fields that most rows have. If a row has further ones, such as a problem, all of its fields are read.
local function readRow(hash)
  local found, has = redis.call('HMGET', hash, 'state', 'step', 'line', 'rev', 'gen', 'tally', 'company', 'documents', 'limit', 'approval'), 3
  if not found[1] then return {} end
  for at = 1, 10 do if found[at] then has = has + 1 end end
  local row = { state = found[1], step = found[2], line = found[3], rev = found[4], gen = found[5], tally = found[6], company = found[7], documents = found[8], limit = found[9], approval = found[10] }
  if redis.call('HLEN', hash) == has then return row end
  found = redis.call('HGETALL', hash)
  for at = 1, #found, 2 do row[found[at]] = found[at + 1] end
  return row
end

-- Reads the arguments of a move from ARGV[at] on. Answers them by name, and where the next move begins.
local given = ARGV
local function toldOf(move, at)
  if move == 'begin' then return { step = given[at + 0] }, at + 1 end
  if move == 'claim' then return { kind = given[at + 0], thing = given[at + 1], owner = given[at + 2], revision = given[at + 3], words = given[at + 4], asked = given[at + 5], supplier = given[at + 6], mark = given[at + 7], link = given[at + 8], onUnknown = given[at + 9], header = given[at + 10], withoutIt = given[at + 11], sends = given[at + 12], withinMs = given[at + 13], vanishedAfterMs = given[at + 14], disputedAfterMs = given[at + 15] }, at + 16 end
  if move == 'settle' then return { kind = given[at + 0], thing = given[at + 1], owner = given[at + 2], buyer = given[at + 3], id = given[at + 4], record = given[at + 5], accepted = given[at + 6] }, at + 7 end
  if move == 'release' then return { kind = given[at + 0], thing = given[at + 1], owner = given[at + 2], why = given[at + 3], status = given[at + 4], body = given[at + 5], revision = given[at + 6], mostPutOffs = given[at + 7] }, at + 8 end
  if move == 'doubt' then return { kind = given[at + 0], thing = given[at + 1], owner = given[at + 2], heard = given[at + 3], sends = given[at + 4], withinMs = given[at + 5], firstWaitMs = given[at + 6], longestWaitMs = given[at + 7], others = given[at + 8] }, at + 9 end
  if move == 'advance' then return { from = given[at + 0], to = given[at + 1], revision = given[at + 2], answered = given[at + 3], refusals = given[at + 4], why = given[at + 5], failed = given[at + 6], told = given[at + 7], granted = given[at + 8], available = given[at + 9], status = given[at + 10], company = given[at + 11], documents = given[at + 12], limit = given[at + 13], record = given[at + 14], problem = given[at + 15] }, at + 16 end
  if move == 'giveUp' then return { from = given[at + 0], plan = given[at + 1], before = given[at + 2], told = given[at + 3], calls = given[at + 4], vanishedAfterMs = given[at + 5] }, at + 6 end
  if move == 'leaveOut' then return { import = given[at + 0], begun = given[at + 1], problem = given[at + 2] }, at + 3 end
  if move == 'requeue' then return { from = given[at + 0], plan = given[at + 1], before = given[at + 2], told = given[at + 3], night = given[at + 4], isMeant = given[at + 5], asks = given[at + 6], above = given[at + 7], person = given[at + 8], days = given[at + 9] }, at + 10 end
  if move == 'await' then return { from = given[at + 0], plan = given[at + 1], before = given[at + 2], told = given[at + 3], night = given[at + 4], approval = given[at + 5], answer = given[at + 6], of = given[at + 7], asOf = given[at + 8], written = given[at + 9] }, at + 10 end
  if move == 'put' then return { line = given[at + 0], import = given[at + 1], request = given[at + 2], buyer = given[at + 3], step = given[at + 4], amount = given[at + 5], asked = given[at + 6], gen = given[at + 7], began = given[at + 8], seen = given[at + 9], isNew = given[at + 10], old = given[at + 11], problem = given[at + 12], takes = given[at + 13], words = given[at + 14], approval = given[at + 15], statements = given[at + 16], known = given[at + 17], before = given[at + 18] }, at + 19 end
  if move == 'follow' then return { limit = given[at + 0], told = given[at + 1] }, at + 2 end
  if move == 'free' then return { approval = given[at + 0] }, at + 1 end
  if move == 'goAnswered' then return { approval = given[at + 0] }, at + 1 end
  if move == 'holdAgain' then return { approval = given[at + 0] }, at + 1 end
  if move == 'carriedOut' then return { approval = given[at + 0] }, at + 1 end
end
