-- A script's arguments by name: ARGV is name, value, name, value …
local args = {}
for at = 1, #ARGV - 1, 2 do args[ARGV[at]] = ARGV[at + 1] end

local function number(name) return tonumber(args[name]) end
