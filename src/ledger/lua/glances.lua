-- Looks at what there is to notice of some of an account's portfolios: some, so that no script lasts long; and changes nothing.
-- KEYS[1] the account's portfolios   KEYS[2] what the keys of portfolios begin with
-- ARGV[1] the place of the first   ARGV[2] how many are looked at
-- Answers { how many there were to look at, name, finished, paused, firstOver, done, refused, held, name, … }: texts are "" where
-- there is none, and of why it is paused 120 bytes are answered.
local names = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local found = { #names }
for _, name in ipairs(names) do
  local portfolio = KEYS[2] .. name
  local known = redis.call('HMGET', portfolio, 'finished', 'paused', 'firstOver')
  local at = #found
  found[at + 1], found[at + 2] = name, known[1] or ''
  found[at + 3], found[at + 4] = string.sub(known[2] or '', 1, 120), known[2] and string.sub(known[3] or '', 1, 120) or ''
  for place, state in ipairs({ 'done', 'refused', 'held' }) do
    found[at + 4 + place] = redis.call('ZCARD', portfolio .. ':state:' .. state)
  end
end
return found
