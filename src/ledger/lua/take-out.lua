-- Takes something of a portfolio that leaves out of Redis: some of its rows, or other keys but its hash.
-- @keys portfolio approvals row …inState
-- What the keys of approvals and of its rows begin with; its rows in one state, none where other keys are to go.
-- @args id most …names
-- id: the archive's; most: rows; or names: of the keys in the archive (archive-lines.lua).
-- Answers how many it took; -1 where the portfolio does not leave under this id.
-- @include archive-lines
local text = redis.call('HGET', portfolio, 'archive')
local known = text and cjson.decode(text) or {}
if known.id ~= id or known.is ~= 'leaving' then return -1 end
local gone = {}
if inState[1] then
  local rows = redis.call('ZRANGE', inState[1], 0, most - 1)
  for at, key in ipairs(rows) do gone[at * 2 - 1], gone[at * 2] = row .. key, row .. key .. ':story' end
  if #rows > 0 then redis.call('ZREMRANGEBYRANK', inState[1], 0, #rows - 1) end
else
  for _, name in ipairs(names) do
    local key = keyOf(name, portfolio, approvals)
    if key ~= portfolio then gone[#gone + 1] = key end
  end
end
if #gone > 0 then redis.call('UNLINK', unpack(gone)) end
return inState[1] and #gone / 2 or #gone
