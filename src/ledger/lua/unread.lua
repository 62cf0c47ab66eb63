-- Included where it changes which files of a portfolio's imports are still to be read to their ends: `importing` lists their contents.
local function keepUnread(portfolio, isUnread)
  local unread = {}
  for content in string.gmatch(redis.call('HGET', portfolio, 'importing') or '', '%S+') do
    if isUnread(content) then unread[#unread + 1] = content end
  end
  if #unread == 0 then
    redis.call('HDEL', portfolio, 'importing')
  else
    redis.call('HSET', portfolio, 'importing', table.concat(unread, ' '))
  end
end
