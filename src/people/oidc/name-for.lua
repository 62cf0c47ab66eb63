-- The name by which others see a person of an identity provider: given once, and never to another person, so that nobody
-- becomes another person by changing their name at the provider.
--
-- KEYS[1]  hash of such people: "of <digest>" → name, "by <name>" → digest
-- ARGV[1]  digest of the identity: 64 hexadecimal digits
-- ARGV[2]  the person's name at the provider
-- Answers the name: "<name at the provider> (sso <digits of the digest>)", with as many digits as make it unique.
local known = redis.call('HGET', KEYS[1], 'of ' .. ARGV[1])
if known then return known end

for digits = 6, #ARGV[1] do
  local name = ARGV[2] .. ' (sso ' .. string.sub(ARGV[1], 1, digits) .. ')'
  if redis.call('HSETNX', KEYS[1], 'by ' .. name, ARGV[1]) == 1 then
    redis.call('HSET', KEYS[1], 'of ' .. ARGV[1], name)
    return name
  end
end
