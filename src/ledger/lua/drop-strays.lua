-- Takes rows out of those of an approval to which they do not belong.
-- KEYS[1] the portfolio   KEYS[2] the approval's rows   ARGV row keys
-- Answers how many were taken out, or -1 where the portfolio is archived: then none.
-- @include archived
if isArchived(KEYS[1]) then return -1 end
return redis.call('ZREM', KEYS[2], unpack(ARGV))
