-- Included where a portfolio, or a row of one, would be changed: nothing is of one that is archived, or on its way (archives.ts).
local function isArchived(portfolio)
  return redis.call('HEXISTS', portfolio, 'archive') == 1
end

-- What is answered to somebody who would change it: `ARCHIVED <where it is> <name>`, which gated-script.ts reads; nil where it is
-- one like others.
local function archivedError(portfolio)
  local archive = redis.call('HGET', portfolio, 'archive')
  if not archive then return nil end
  local is = string.match(archive, '"is":"(%l+)"') or 'archived'
  return redis.error_reply('ARCHIVED ' .. is .. ' ' .. string.match(portfolio, '([^:]*)$'))
end

-- The portfolio of a row, by the row's key or by what the keys of all its rows begin with.
local function portfolioOfRow(row)
  return (string.gsub(row, ':row:([^:]+):[^:]*$', ':portfolio:%1'))
end
