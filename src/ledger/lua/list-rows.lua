-- Lists rows that are in sorted sets by line, in the order of their lines: from a place of each set on, or from a line on, which is a place
-- that nobody who moves rows changes.
-- @keys begins …sets
-- What the keys of the rows begin with, and the sets.
-- @args place from to count import
-- place: of the first, or "" where lines are said; from and to: the first line and the last; count: how many of a set, or -1 for all;
-- import: whose rows are meant, or "".
-- Answers { row, line, step, row, line, step, … }
local answer = {}
for _, set in ipairs(sets) do
  local rows = place ~= '' and redis.call('ZRANGE', set, place, place + count - 1, 'WITHSCORES')
    or redis.call('ZRANGE', set, from, to, 'BYSCORE', 'LIMIT', 0, count, 'WITHSCORES')
  for at = 1, #rows, 2 do
    local found = redis.call('HMGET', begins .. rows[at], 'import', 'step')
    if import == '' or found[1] == import then
      for _, value in ipairs({ rows[at], rows[at + 1], found[2] or 'company' }) do answer[#answer + 1] = value end
    end
  end
end
return answer
