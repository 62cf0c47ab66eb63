-- Included behind archive-lines.lua where a piece of a key is read.
-- Answers its line, or false where there is nothing, and the place behind it, or nil.
local function pieceOf(key, kind, place, name)
  local from, found, next = tonumber(place), nil, nil
  if kind == 'zset' then
    found = redis.call('ZRANGE', key, place, string.format('%d', from + PIECE - 1), 'WITHSCORES')
    if #found == PIECE * 2 then next = string.format('%d', from + PIECE) end
  elseif kind == 'list' then
    found = redis.call('LRANGE', key, place, string.format('%d', from + PIECE - 1))
    if #found == PIECE then next = string.format('%d', from + PIECE) end
  else
    next, found = unpack(redis.call(kind == 'hash' and 'HSCAN' or 'SSCAN', key, place, 'COUNT', PIECE))
    if next == '0' then next = nil end
  end
  local cells = { name, kind, place }
  for at = 1, #found, kind == 'hash' and 2 or 1 do
    -- Where the portfolio is on its way is no part of what it is.
    if name ~= 'portfolio' or found[at] ~= 'archive' then
      cells[#cells + 1] = found[at]
      if kind == 'hash' then cells[#cells + 1] = found[at + 1] end
    end
  end
  return #cells > 3 and encodeLine(cells), next
end
