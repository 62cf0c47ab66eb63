-- Counts the rows of some of an account's portfolios by state: some, so that no script lasts long; and changes nothing.
-- KEYS[1] the account's portfolios   KEYS[2] what the keys of portfolios begin with
-- ARGV[1] the place of the first portfolio   ARGV[2] how many   ARGV[3 …] the states
-- Answers { portfolios found, of them unfinished, of them paused, rows in the first state, … }
local names = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local open, paused, counts = 0, 0, {}
for at = 3, #ARGV do counts[at - 2] = 0 end
for _, name in ipairs(names) do
  local portfolio = KEYS[2] .. name
  local found = redis.call('HMGET', portfolio, 'finished', 'paused')
  if not found[1] then open = open + 1 end
  if found[2] then paused = paused + 1 end
  for at = 3, #ARGV do
    counts[at - 2] = counts[at - 2] + redis.call('ZCARD', portfolio .. ':state:' .. ARGV[at])
  end
end
return { #names, open, paused, unpack(counts) }
