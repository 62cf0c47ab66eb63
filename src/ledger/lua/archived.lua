-- Included in scripts that change a portfolio or a row: they change nothing in an archived portfolio, or one on the way there (archives.ts).
local function isArchived(portfolio)
  return redis.call('HEXISTS', portfolio, 'archive') == 1
end

-- The error for a change of an archived portfolio: `ARCHIVED <archive state> <name>`, which gated-script.ts reads; nil for an ordinary
-- portfolio.
local function archivedError(portfolio)
  local archive = redis.call('HGET', portfolio, 'archive')
  if not archive then return nil end
  local is = string.match(archive, '"is":"(%l+)"') or 'archived'
  return redis.error_reply('ARCHIVED ' .. is .. ' ' .. string.match(portfolio, '([^:]*)$'))
end

-- The portfolio key of a row, from the row's key or from the key prefix of all its rows.
local function portfolioOfRow(row)
  return (string.gsub(row, ':row:([^:]+):[^:]*$', ':portfolio:%1'))
end
