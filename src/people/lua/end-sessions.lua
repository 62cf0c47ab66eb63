-- Ends sessions of one person.
-- KEYS[1] the person's sessions   ARGV[1] beginning of sessions' keys   ARGV[2] digest of a session to keep, or ""
-- ARGV[3] beginning of the digests of those to end, "" for all
-- Answers how many ended
local sessionPrefix, but, beginning = unpack(ARGV)
local ended = 0
for _, digest in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if digest ~= but and string.sub(digest, 1, #beginning) == beginning then
    ended = ended + redis.call('UNLINK', sessionPrefix .. digest)
    redis.call('ZREM', KEYS[1], digest)
  end
end
return ended
