-- Reads whom identifiers point to, and what is known of those buyers, all at one moment.
-- @keys versionKey identifiers buyers
-- The version of what is known, and what the keys of identifiers and of buyers begin with.
-- @args digests
-- Of identifiers, 16 characters each and one behind the other; the first three name the bucket.
-- Answers { version, { place, buyers of the identifier at that place, place, … }, { key, record, key, record, … } }: identifiers
-- that point to any, from place 0 on, and buyers as they were written (write-buyers.lua), each of them once.
local pointing, records, isRead = {}, {}, {}
local place = 0
for bucket, rest in string.gmatch(digests, '(...)(.............)') do
  local holders = redis.call('HGET', identifiers .. bucket, rest)
  if holders then
    pointing[#pointing + 1], pointing[#pointing + 2] = place, holders
    for key in string.gmatch(holders, '[%w_-]+') do
      if not isRead[key] then
        isRead[key] = true
        records[#records + 1], records[#records + 2] = key, redis.call('GET', buyers .. key) or ''
      end
    end
  end
  place = place + 1
end
return { redis.call('GET', versionKey) or '0', pointing, records }
