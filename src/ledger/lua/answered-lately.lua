-- The rows that the service answered lately, the latest first.
-- @keys account lately
-- @args most
-- @only-reads
-- Answers JSON, since thousands of replies take long to read: [row, when in ms, its tally, its import, …]. Tally and import are false for a
-- row that is in the archive of its portfolio.
local root = string.sub(account, 1, -#':account' - 1)
local found, answers = redis.call('ZRANGE', lately, 0, most - 1, 'REV', 'WITHSCORES'), {}
for at = 1, #found, 2 do
  local portfolio, key = string.match(found[at], '^(.*)/(.*)$')
  local row = key and redis.call('HMGET', root .. ':row:' .. portfolio .. ':' .. key, 'tally', 'import') or { false, false }
  answers[2 * at - 1], answers[2 * at], answers[2 * at + 1], answers[2 * at + 2] = found[at], tonumber(found[at + 1]), row[1], row[2]
end
return #answers == 0 and '[]' or cjson.encode(answers)
