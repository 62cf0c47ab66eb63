-- Takes something of a portfolio that leaves out of Redis: some of its rows, or other keys but its hash.
-- KEYS[1] the portfolio   KEYS[2] the key of an approval, less its id
-- KEYS[3] the key of a row, less its name   KEYS[4] its rows in one state; none of these two where other keys are to go
-- ARGV[1] the archive's id   ARGV[2] rows at most; or ARGV[2…] the names of the keys in the archive (archive-lines.lua)
-- Answers how many it took; -1 where the portfolio does not leave under this id.
-- @include archive-lines
local portfolio, approvals, row, inState = unpack(KEYS)
local text = redis.call('HGET', portfolio, 'archive')
local known = text and cjson.decode(text) or {}
if known.id ~= ARGV[1] or known.is ~= 'leaving' then return -1 end
local gone = {}
if inState then
  local rows = redis.call('ZRANGE', inState, 0, ARGV[2] - 1)
  for at, key in ipairs(rows) do gone[at * 2 - 1], gone[at * 2] = row .. key, row .. key .. ':story' end
  if #rows > 0 then redis.call('ZREMRANGEBYRANK', inState, 0, #rows - 1) end
else
  for at = 2, #ARGV do
    local key = keyOf(ARGV[at], portfolio, approvals)
    if key ~= portfolio then gone[#gone + 1] = key end
  end
end
if #gone > 0 then redis.call('UNLINK', unpack(gone)) end
return inState and #gone / 2 or #gone
