-- Included where a row comes to wait for an approval, or waits no longer. It remembers in `awaits`, as "<approval>|<requested>",
-- what it adds to its approval; that is taken off, and what it adds as it is now is put on: so what an approval binds is what its
-- rows are, whatever moved them, and however often a script runs. `moves` of an approval tells that something changed.
-- An approval of which nothing is left waits for nobody: it is "void".
-- @include approvals
local function countInApproval(portfolio, id, sign, limbs)
  local approval = approvalKey(portfolio, id)
  redis.call('HINCRBY', approval, 'moves', 1)
  for k, limb in pairs(limbs or {}) do redis.call('HINCRBY', approval, 'sum:rows:' .. k, sign * limb) end
  if not limbs then redis.call('HINCRBY', approval, 'unreadable', sign) end
  return redis.call('HINCRBY', approval, 'rows', sign)
end

-- The request waits for `id` no longer, and for `joins` where that is given.
local function setAsks(request, id, joins)
  local ids = {}
  for one in string.gmatch(redis.call('HGET', request, 'asks') or '', '%S+') do
    if one ~= id then ids[#ids + 1] = one end
  end
  ids[#ids + 1] = joins
  if #ids > 0 then redis.call('HSET', request, 'asks', table.concat(ids, ' ')) else redis.call('HDEL', request, 'asks') end
end

-- `limbs` are those of `requested` (amounts.lua).
local function joinApproval(portfolio, row, key, line, id, requested, limbs)
  countInApproval(portfolio, id, 1, limbs)
  redis.call('ZADD', portfolio .. ':approval:' .. id, line, key)
  redis.call('HSET', row, 'awaits', id .. '|' .. requested)
  -- What is said of a held call says nothing of the request.
  local approval, request = approvalKey(portfolio, id), requestOf(portfolio, key)
  if redis.call('HGET', approval, 'kind') ~= 'answer' then
    local no = declinedOf(portfolio, request)
    if no then noteNo(portfolio, approval, no) end
    setAsks(request, id, id)
  end
end

local function leaveApproval(portfolio, row, key, awaits, limbsOf)
  local id, requested = string.match(awaits, '^([^|]*)|(.*)$')
  redis.call('ZREM', portfolio .. ':approval:' .. id, key)
  redis.call('HDEL', row, 'awaits')
  setAsks(requestOf(portfolio, key), id)
  local left = countInApproval(portfolio, id, -1, limbsOf(requested))
  if left > 0 or standingOf(portfolio, id) ~= 'waiting' then return end
  local root, name = string.match(portfolio, '^(.-):portfolio:(.*)$')
  redis.call('HSET', approvalKey(portfolio, id), 'standing', 'void')
  redis.call('ZREM', root .. ':approvals', name .. '/' .. id)
  -- What else belongs to it, a supplier, is given up with it.
  redis.call('ZADD', root .. ':approvals:answered', 0, name .. '/' .. id)
end
