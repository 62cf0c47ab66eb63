-- Writes what is left of buyers, each if what is known of it is still what was known when that was decided.
-- KEYS[1] the version of what is known of buyers   KEYS[2…] buyers   ARGV[1, 2 …] what was known and what is to be, of each
-- Answers how many are as they were to be; the others were changed meanwhile, and stay as they are. Heard twice it answers the same.
local written, changed = 0, false
for at = 2, #KEYS do
  local was, is = ARGV[at * 2 - 3], ARGV[at * 2 - 2]
  local known = redis.call('GET', KEYS[at])
  if known == was and was ~= is then
    redis.call('SET', KEYS[at], is)
    changed = true
  end
  if known == was or known == is then written = written + 1 end
end
-- Whoever decides about a line by what was known reads again.
if changed then redis.call('INCR', KEYS[1]) end
return written
