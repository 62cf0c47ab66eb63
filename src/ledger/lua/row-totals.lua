-- Counts the rows of some of an account's portfolios by state: some, so that no script lasts long; and changes nothing.
-- KEYS[1] the account's portfolios   KEYS[2] what the keys of portfolios begin with
-- ARGV[1] the place of the first portfolio   ARGV[2] how many   ARGV[3] how many of the states are of rows to be sent, which come first
-- ARGV[4 …] the states
-- Answers { portfolios found, of them unfinished, of them paused, rows to be sent where it is not paused, rows in the first state, … }
local names = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local open, paused, to_send, counts = 0, 0, 0, {}
for at = 4, #ARGV do counts[at - 3] = 0 end
for _, name in ipairs(names) do
  local portfolio = KEYS[2] .. name
  local found = redis.call('HMGET', portfolio, 'finished', 'paused')
  if not found[1] then open = open + 1 end
  if found[2] then paused = paused + 1 end
  for at = 4, #ARGV do
    local rows = redis.call('ZCARD', portfolio .. ':state:' .. ARGV[at])
    counts[at - 3] = counts[at - 3] + rows
    if not found[2] and at - 3 <= tonumber(ARGV[3]) then to_send = to_send + rows end
  end
end
return { #names, open, paused, to_send, unpack(counts) }
