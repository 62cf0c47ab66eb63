-- The name by which others read of a person of an identity provider: given once, and never again to anybody else, so that
-- nobody becomes another by changing what they are called there.
--
-- KEYS[1]  hash of such people: "of <digest>" → name, "by <name>" → digest
-- ARGV[1]  digest of who it is: 64 hexadecimal digits
-- ARGV[2]  what they are called
-- Answers the name: "<what they are called> (sso <digits of the digest>)", with as many digits as make it theirs alone.
local known = redis.call('HGET', KEYS[1], 'of ' .. ARGV[1])
if known then return known end

for digits = 6, #ARGV[1] do
  local name = ARGV[2] .. ' (sso ' .. string.sub(ARGV[1], 1, digits) .. ')'
  if redis.call('HSETNX', KEYS[1], 'by ' .. name, ARGV[1]) == 1 then
    redis.call('HSET', KEYS[1], 'of ' .. ARGV[1], name)
    return name
  end
end
