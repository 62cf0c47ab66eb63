-- Included where a script serves one call of one row. ARGV is as trip.lua takes it, of that row and of one move, which is told (schema.ts).
-- KEYS[1] the account
-- @include schema
local ROOT = string.sub(KEYS[1], 1, -#':account' - 1)
local it, ROW_NAME = toldOf(ARGV[4], 5), ARGV[1] .. '/' .. ARGV[2]
local CALL, PORTFOLIO, ROW = ROOT .. ':call:' .. it.kind .. ':' .. it.thing, ROOT .. ':portfolio:' .. ARGV[1], ROOT .. ':row:' .. ARGV[1] .. ':' .. ARGV[2]
