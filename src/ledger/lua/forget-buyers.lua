-- Writes what is left of buyers, each if what is known of it is still what was known when that was decided.
-- @keys version …buyers
-- The version of what is known of buyers, and some of them.
-- @args …texts
-- What was known and what is to be, of each.
-- Answers how many are as they were to be; the others were changed meanwhile, and stay as they are. Heard twice it answers the same.
local written, changed = 0, false
for at, buyer in ipairs(buyers) do
  local was, is = texts[at * 2 - 1], texts[at * 2]
  local known = redis.call('GET', buyer)
  if known == was and was ~= is then
    redis.call('SET', buyer, is)
    changed = true
  end
  if known == was or known == is then written = written + 1 end
end
-- Whoever decides about a line by what was known reads again.
if changed then redis.call('INCR', version) end
return written
