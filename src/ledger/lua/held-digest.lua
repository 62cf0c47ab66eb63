-- A digest of the first held rows: as long as it is the same, so are they, and since when they are held.
-- @keys held
-- @args count
-- @only-reads
-- Answers { digest, number of all held rows }.
local first = redis.call('ZRANGE', held, 0, count - 1, 'WITHSCORES')
return { redis.sha1hex(table.concat(first, ' ')), redis.call('ZCARD', held) }
