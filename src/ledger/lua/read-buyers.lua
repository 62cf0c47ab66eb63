-- Reads the buyers that have these identifiers, and their records, all at one moment.
-- @keys versionKey identifiers buyers
-- The version of the records, and the beginnings of the keys of identifiers and of buyers.
-- @args digests
-- Digests of identifiers, 16 characters each, without separator; the first three characters name the bucket.
-- Answers { version, { index, buyers with that identifier, index, … }, { key, record, key, record, … } }: only identifiers with
-- buyers, by index from 0, and each buyer once, as written by write-buyers.lua.
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
