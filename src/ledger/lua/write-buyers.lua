-- Writes the buyers of new lines, if their records are unchanged since they were read.
-- @keys versionKey identifiers buyers …mended
-- The version of the records; the beginnings of the keys of identifiers and of buyers; for each buyer that gets another name the call for
-- its company, the call for the limit of its only row, and that row.
-- @args version holders records likes
-- version: the one that was read; holders: a line for each identifier, its digest of 16 characters and its buyers; records: a line for
-- each buyer, its key of 16 characters and its record; likes: pairs of keys of buyers that may be one, without separator.
-- @brings-in
-- Answers 1, or 0 if another process wrote since or such a call was sent: then nothing is written. Repeated after a lost reply it answers 0;
-- the caller then reads what it wrote.
-- @include archived
-- @include buyer-words
-- @include made-ids
if (redis.call('GET', versionKey) or '0') ~= version then return 0 end
for at = 1, #mended, 3 do
  for call = at, at + 1 do
    local state = redis.call('HGET', mended[call], 'state')
    if state == 'claimed' or state == 'unknown' or state == 'made' then return 0 end
  end
end
-- A job with the old name then sends nothing: the row has a new revision. The import brings the new request next.
for at = 3, #mended, 3 do
  if redis.call('EXISTS', mended[at]) == 1 and not isArchived(portfolioOfRow(mended[at])) then redis.call('HINCRBY', mended[at], 'rev', 1) end
end
for bucket, rest, told in string.gmatch(holders, '(...)(.............)([^\n]*)\n') do
  redis.call('HSET', identifiers .. bucket, rest, told)
end
for key, record in string.gmatch(records, '(................)([^\n]*)\n') do writeBuyer(buyers .. key, record) end
for one, other in string.gmatch(likes, '(................)(................)') do
  noteAlike(string.match(buyers, '^(.*):buyer:$'), one, other)
end
redis.call('INCR', versionKey)
return 1
