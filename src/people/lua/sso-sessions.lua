-- The people for whom an identity provider speaks, and who have sessions that count.
-- KEYS[1] hash of such people: "by <name>" → digest   ARGV[1] what the keys of users begin with   ARGV[2] those of sessions
-- ARGV[3] those of the lists of a person's sessions   ARGV[4] ms that a session lives at most
-- Answers {name, how many, when the newest began} of each, in no order
-- @include session-standing
local people = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local name = string.match(field, '^by (.*)$')
  local count, newest = 0, ''
  -- Of those who are not signed in there is no list.
  for _, digest in ipairs(name and redis.call('ZREVRANGE', ARGV[3] .. name, 0, -1) or {}) do
    local standing = standingOf(ARGV[2] .. digest, ARGV[1], tonumber(ARGV[4]))
    if standing then
      count = count + 1
      newest = newest == '' and standing.began or newest
    end
  end
  if count > 0 then people[#people + 1] = { name, count, newest } end
end
return people
