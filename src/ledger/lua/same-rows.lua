-- Tells whether rows are still what lines of their archive say, in whatever order their fields are by now (archive-lines.lua).
-- KEYS[1] the key of a row, less its name   ARGV the lines
-- Answers 1 where they are, else 0.
-- @include archive-lines
for _, text in ipairs(ARGV) do
  local then_, now = cjson.decode(text), cjson.decode(lineOfRow(KEYS[1] .. cjson.decode(text)[1], ''))
  if #then_ ~= #now or then_[2] ~= now[2] then return 0 end
  local fields, stories = {}, 2 + tonumber(now[2])
  for at = 3, stories, 2 do fields[now[at]] = now[at + 1] end
  for at = 3, stories, 2 do
    if fields[then_[at]] ~= then_[at + 1] then return 0 end
  end
  for at = stories + 1, #now do
    if then_[at] ~= now[at] then return 0 end
  end
end
return 1
