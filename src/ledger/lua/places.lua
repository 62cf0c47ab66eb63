-- Included behind derive.lua where what stands is compared with the rows: every place at which a row stands, without putting it there.
-- Answers sets by what they are for: { state, cause, search }, each { name of a set = { member = score } }; the ids and numbers that the row
-- is found by, { member = digest }, whose sets go by the size that the portfolio had (index-entries.lua); and what kind the columns are.
-- `words` as index-entries.lua tells them; with "" nothing is said of the search. Its column goes by `tally`, where that is given.
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
  stand(portfolio, namesOf(portfolio.hash), 0, nameEntry(words, row.key))
  for id in next, idsOf(row) do ids[packed(digestOfId(id)) .. row.key] = digestOfId(id) end
  for digest in string.gmatch(string.match(words, '^[^\n]*'), '%x+') do ids[packed(digest) .. row.key] = digest end
  return places, ids, portfolio.kinds
end
