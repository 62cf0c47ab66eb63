-- Writes what lines brought, if what is known is still what was known when it was decided.
-- @keys versionKey identifiers buyers …mended
-- The version of what is known; what the keys of identifiers and of buyers begin with; of each buyer that takes another name the call that
-- makes its company, the call that makes the limit of its only row, and that row.
-- @args version holders records likes
-- version: the one that was read; holders: a line for each identifier, its digest of 16 characters, and its buyers behind that; records: a
-- line for each buyer, its key of 16 characters, and what is known of it behind that; likes: the keys of two buyers that may be one, and of
-- two others, one behind the other.
-- @brings-in
-- Answers 1, or 0 when somebody else wrote meanwhile or such a call was sent: then nothing is written. Repeated after a lost
-- reply it answers 0; what it wrote is read then, and found to be what was to be written.
-- @include archived
-- @include made-ids
-- @include note-alike
if (redis.call('GET', versionKey) or '0') ~= version then return 0 end
for at = 1, #mended, 3 do
  for call = at, at + 1 do
    local state = redis.call('HGET', mended[call], 'state')
    if state == 'claimed' or state == 'unknown' or state == 'made' then return 0 end
  end
end
-- A job that goes by the old name sends nothing any more: the row has other words, which the import brings next.
for at = 3, #mended, 3 do
  if redis.call('EXISTS', mended[at]) == 1 and not isArchived(portfolioOfRow(mended[at])) then redis.call('HINCRBY', mended[at], 'rev', 1) end
end
for bucket, rest, told in string.gmatch(holders, '(...)(.............)([^\n]*)\n') do
  redis.call('HSET', identifiers .. bucket, rest, told)
end
for key, record in string.gmatch(records, '(................)([^\n]*)\n') do redis.call('SET', buyers .. key, record) end
for one, other in string.gmatch(likes, '(................)(................)') do
  noteAlike(string.match(buyers, '^(.*):buyer:$'), one, other)
end
redis.call('INCR', versionKey)
return 1
