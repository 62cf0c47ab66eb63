-- A digest of a range of a sorted set: as long as it is the same, so are its members and their order.
-- @keys set
-- @args from to scores
-- from, to: the range as ZRANGE takes it. scores: "WITHSCORES" if their scores count too, "" if only that of the last one does. Reading all
-- scores takes Redis three times as long.
-- @only-reads
-- Answers { digest, number of all members of the set }.
local found = redis.call('ZRANGE', unpack({ set, from, to, scores ~= '' and scores or nil }))
found[#found + 1] = scores == '' and #found > 0 and redis.call('ZSCORE', set, found[#found]) or ''
return { redis.sha1hex(table.concat(found, ' ')), redis.call('ZCARD', set) }
