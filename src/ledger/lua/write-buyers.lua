-- Writes what lines brought, if what is known is still what was known when it was decided.
-- KEYS[1] the version of what is known   KEYS[2] what the keys of identifiers begin with   KEYS[3] those of buyers
-- KEYS[4, 5, 6 …] of each buyer that takes another name: the call that makes its company, the call that makes the limit of
-- its only row, and that row
-- ARGV[1] the version that was read   ARGV[2] a line for each identifier: its digest of 16 characters, and its buyers behind that
-- ARGV[3] a line for each buyer: its key of 16 characters, and what is known of it behind that
-- ARGV[4] the keys of two buyers that may be one, and of two others, one behind the other
-- @brings-in
-- Answers 1, or 0 when somebody else wrote meanwhile or such a call was sent: then nothing is written. Repeated after a lost
-- reply it answers 0; what it wrote is read then, and found to be what was to be written.
-- @include archived
-- @include made-ids
-- @include note-alike
local versionKey, identifiers, buyers = unpack(KEYS, 1, 3)
local version = ARGV[1]
if (redis.call('GET', versionKey) or '0') ~= version then return 0 end
for at = 4, #KEYS, 3 do
  for call = at, at + 1 do
    local state = redis.call('HGET', KEYS[call], 'state')
    if state == 'claimed' or state == 'unknown' or state == 'made' then return 0 end
  end
end
-- A job that goes by the old name sends nothing any more: the row has other words, which the import brings next.
for at = 6, #KEYS, 3 do
  if redis.call('EXISTS', KEYS[at]) == 1 and not isArchived(portfolioOfRow(KEYS[at])) then redis.call('HINCRBY', KEYS[at], 'rev', 1) end
end
for bucket, rest, holders in string.gmatch(ARGV[2], '(...)(.............)([^\n]*)\n') do
  redis.call('HSET', identifiers .. bucket, rest, holders)
end
for key, record in string.gmatch(ARGV[3], '(................)([^\n]*)\n') do redis.call('SET', buyers .. key, record) end
for one, other in string.gmatch(ARGV[4], '(................)(................)') do
  noteAlike(string.match(buyers, '^(.*):buyer:$'), one, other)
end
redis.call('INCR', versionKey)
return 1
