-- Lets a row that somebody would send again, or of whose call somebody says what became of it, wait for an approval.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the plan that this is a part of; KEYS[2] for none
-- KEYS[4] the rules for the night; KEYS[2] for none
-- ARGV[1] row key   ARGV[2] state that it must be in: "refused", "cancelled" or "held"   ARGV[3] the open approval
-- ARGV[4] what somebody says of a held one: the id of what was made, "resend", or ""
-- ARGV[5] the moment of the plan in ms, or ""   ARGV[6] when the row that is meant was written, in ms, or ""
-- ARGV[7] what is told to the row's story, as JSON, or ""   ARGV[8] the call that it is said of, as callers name it, or ""
-- ARGV[9] the rule's night (goes-tonight.lua), or ""   ARGV[10] when who says it looked, in ms, or ""
-- Answers 1, also repeated, or 0 when it is in another state, or replaced, or changed since, or the approval is open no longer,
-- or it may not go tonight.
-- @include archived
-- @include move
-- @include replaced
-- @include cancelled
-- @include tally
-- @include planned
-- @include tell
-- @include waiting
-- @include goes-tonight
local portfolio, row, plan, rules = unpack(KEYS)
local key, from, approval, answer, before, written, told, of, night, asOf = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line', 'approval', 'cause', 'replaced', 'updated')
if found[1] == 'awaiting' and found[3] == approval then return 1 end
if standingOf(portfolio, approval) ~= 'open' or found[1] ~= from or isReplaced(row) then return 0 end
if not isAsPlanned(row, before) or (written ~= '' and written ~= found[6]) then return 0 end
if not mayGoTonight(portfolio, row, rules, night) then return 0 end
local was = { state = from, approval = found[3] or nil, cause = found[4] or nil, replaced = found[5] or nil }
was.known = found[4] and redis.call('HGET', portfolio .. ':causes', found[4]) or nil
was.of, was.asOf = of ~= '' and of or nil, tonumber(asOf)
local now = nowMs()
if from == 'cancelled' then tellGivenUp(portfolio, row) end
takeBackReplaced(row)
moveRow(portfolio, row, key, from, 'awaiting', found[2], now)
redis.call('HSET', row, 'was', cjson.encode(was), 'approval', approval, 'gen', generation(portfolio))
if answer ~= '' then redis.call('HSET', row, 'answer', answer) end
local no = of ~= '' and redis.call('HGET', callSaid(portfolio, of), 'answerDeclined')
if no then redis.call('HSET', approvalKey(portfolio, approval), 'redone', noOf(portfolio, no)) end
if told ~= '' then tell(row, now, told) end
tallyRow(portfolio, row, key)
notePlanned(plan, before)
noteNight(row, rules, night, true)
noteFinish(portfolio, now)
return 1
