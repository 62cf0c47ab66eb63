-- Takes rows of a portfolio that leaves out of Redis.
-- KEYS[1] the portfolio   KEYS[2] its rows in one state   KEYS[3] the key of a row, less its name
-- ARGV[1] the archive's id   ARGV[2] rows at most
-- Answers how many it took; -1 where the portfolio does not leave under this id.
-- @include archive-is
if not isOnItsWay(KEYS[1], ARGV[1], 'leaving') then return -1 end
local rows, gone = redis.call('ZRANGE', KEYS[2], 0, ARGV[2] - 1), {}
for at, key in ipairs(rows) do gone[at * 2 - 1], gone[at * 2] = KEYS[3] .. key, KEYS[3] .. key .. ':story' end
if #rows > 0 then
  redis.call('UNLINK', unpack(gone))
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, #rows - 1)
end
return #rows
