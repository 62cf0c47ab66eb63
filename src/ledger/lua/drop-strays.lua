-- Takes rows out of those of an approval to which they do not belong.
-- @keys portfolio rows
-- The portfolio, and the approval's rows.
-- @args …strays
-- Row keys.
-- Answers how many were taken out, or -1 where the portfolio is archived: then none.
-- @include archived
if isArchived(portfolio) then return -1 end
return redis.call('ZREM', rows, unpack(strays))
