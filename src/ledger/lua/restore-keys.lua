-- Puts keys of a portfolio back from lines of its archive (archive-lines.lua), byte for byte: all but its rows and its hash. Pieces may
-- come in any order, and again: nobody changes these keys meanwhile, so what stands there is a part of what comes. Of a list, whose
-- entries would come twice, the first piece takes away what stands there, and the others come behind it.
-- KEYS[1] the portfolio   KEYS[2] the key of an approval, less its id
-- ARGV[1] the run   ARGV[2…] the lines
-- @brings-in
-- Answers 1; -1 where the portfolio does not come back by this run.
-- @include archive-is
-- @include archive-lines
-- @include restore-piece
local portfolio, approvals = unpack(KEYS)
if not isComingBack(portfolio, ARGV[1]) then return -1 end
for at = 2, #ARGV do
  local cells = decodeLine(ARGV[at])
  local key = keyOf(cells[1], portfolio, approvals)
  if key == portfolio then return redis.error_reply('ERR the hash of a portfolio comes back with the last step') end
  if cells[2] == 'list' and cells[3] == '0' then redis.call('UNLINK', key) end
  putPiece(key, cells)
end
return 1
