-- Puts a row back in front of the step at which it ended. Where a person means this very row, a cancellation of its
-- portfolio does not concern it any more. One in whose place another stands stays where it is: both would be requested.
-- KEYS[1] the portfolio   KEYS[2] the row   KEYS[3] the plan that this is a part of; KEYS[2] for none
-- KEYS[4] the account, which has the rule of approval (approval-rule.ts)   KEYS[5] the rules for the night; KEYS[2] for none
-- ARGV[1] row key   ARGV[2] state that it must be in   ARGV[3] 1 where a person means this very row
-- ARGV[4] the moment of the plan in ms, or ""   ARGV[5] what is told to the row's story, as JSON, or ""
-- ARGV[6] 1 where approvals are asked for, whatever the rule   ARGV[7] the rule's night (goes-tonight.lua), or ""
-- ARGV[8] limit for a buyer   ARGV[9] for a person, each "" for none   ARGV[10] days: what is asked for, whatever the rule
-- Answers 1, or 0 when it is in another state, or replaced, or changed since the plan, or not approved: to give a row up takes it
-- out of its approval, so one that comes back needs another (await-row.lua), and one that was declined does in any case. Or when it
-- may not go tonight; or when what passes of its buyer, or of who brought it in, would be above a limit with it. A held one counts already.
-- @include archived
-- @include move
-- @include cancelled
-- @include replaced
-- @include tally
-- @include planned
-- @include tell
-- @include waiting
-- @include goes-tonight
local portfolio, row, plan, account, rules = unpack(KEYS)
local key, from, isMeant, before, told, asks, night, above, person, days = unpack(ARGV)
local archived = archivedError(portfolio)
if archived then return archived end
local found = redis.call('HMGET', row, 'state', 'line', 'approval')
if found[1] ~= from or isReplaced(row) or not isAsPlanned(row, before) then return 0 end
if declinedOf(portfolio, requestOf(portfolio, key)) or not mayGoTonight(portfolio, row, rules, night) then return 0 end
local rule = redis.call('HMGET', account, 'approve:always', 'approve:above', 'approve:person', 'approve:days')
local isAsked = asks == '1' or rule[1] == 'on' or rule[2] or rule[3]
if found[3] and (from == 'cancelled' or standingOf(portfolio, found[3]) ~= 'granted') then
  if isAsked then return 0 end
  bindRow(row, '')
end
if isAsked and from ~= 'held' then
-- @include above
-- @include passed
  local own = { above = above, person = person, days = tonumber(days) }
  local known = { above = rule[2] or '', person = rule[3] or '', days = tonumber(rule[4] or 0) }
  if overOf(portfolio, row, own, {}) or overOf(portfolio, row, known, {}) then return 0 end
end
takeBackReplaced(row)
local now = nowMs()
if from == 'cancelled' then tellGivenUp(portfolio, row) end
moveRow(portfolio, row, key, from, 'queued', found[2], now)
forgetTries(row)
if told ~= '' then tell(row, now, told) end
if isMeant == '1' then
  redis.call('HSET', row, 'gen', generation(portfolio))
  redis.call('HDEL', row, 'refusal')
end
tallyRow(portfolio, row, key)
notePlanned(plan, before)
noteNight(row, rules, night, false)
-- What came back is in no plan that was made for all that was open before.
redis.call('HINCRBY', portfolio, 'reopened', 1)
noteFinish(portfolio, now)
return 1
