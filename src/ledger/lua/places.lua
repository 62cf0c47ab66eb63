-- Computes the sets that must contain a row, and writes nothing. Scripts that compare sets with rows include it behind derive.lua.
-- Answers three things. The sets by purpose: { state, cause, search }, each { name of a set = { member = score } }. The row's ids and
-- numbers: { member = digest }; their sets depend on the portfolio's size at the time (index-entries.lua). The kinds of the columns.
-- `words`: search words as in index-entries.lua, "" to leave the search out. `tally`, if given, decides the column.
local function placesOf(row, words, tally)
  local portfolio = setmetatable({ kinds = {}, left = {} }, { __index = row.portfolio })
  local here, share = setmetatable({ portfolio = portfolio }, { __index = row }), shareIn(row.tally)
  local places, ids = {}, {}
  local function gather(name)
    portfolio.sets = {}
    places[name] = portfolio.sets
  end
  gather('state')
  putInState(here, 1)
  if row.state == 'awaiting' and row.approval then
    stand(portfolio, portfolio.hash .. ':approval:' .. row.approval, row.line, row.key)
  end
  gather('cause')
  putInCause(here, share, 1)
  gather('search')
  if words == '' then return places, ids, portfolio.kinds end
  putInColumn(here, tally and shareIn(tally) or share, 1)
  putInChanged(here)
  stand(portfolio, namesOf(portfolio.hash), 0, nameEntry(words, row.key))
  for id in next, idsOf(row) do ids[packed(digestOfId(id)) .. row.key] = digestOfId(id) end
  for digest in string.gmatch(string.match(words, '^[^\n]*'), '%x+') do ids[packed(digest) .. row.key] = digest end
  return places, ids, portfolio.kinds
end
