-- Looks at some of an account's portfolios: some, so that no script lasts long; and changes nothing.
-- @keys portfolios begins
-- All of the account, and what the keys of portfolios begin with.
-- @args from count newest …states
-- from: place of the first; count: how many are looked at; newest: 1 where the latest come first; states: whose rows are counted.
-- Answers { { name, finished, paused, firstOver, count of rows, … }, … }: texts are "" where there is none, and of why it is paused 120 bytes
-- are answered.
local last, found = from + count - 1, {}
local names = newest == '1' and redis.call('ZRANGE', portfolios, from, last, 'REV') or redis.call('ZRANGE', portfolios, from, last)
for at, name in ipairs(names) do
  local portfolio = begins .. name
  local known = redis.call('HMGET', portfolio, 'finished', 'paused', 'firstOver')
  local told = { name, known[1] or '', string.sub(known[2] or '', 1, 120), known[2] and string.sub(known[3] or '', 1, 120) or '' }
  for place, state in ipairs(states) do told[4 + place] = redis.call('ZCARD', portfolio .. ':state:' .. state) end
  found[at] = told
end
return found
