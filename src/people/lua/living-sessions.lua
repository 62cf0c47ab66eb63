-- Which of these sessions are valid and complete (no code, new password or factor is owed); asking keeps none of them alive.
-- KEYS the sessions   ARGV[1] beginning of users' keys   ARGV[2] ms that a session lives at most
-- Answers 1 or 0 for each
-- @include session-standing
local living = {}
for place, session in ipairs(KEYS) do
  local standing = standingOf(session, ARGV[1], tonumber(ARGV[2]))
  living[place] = standing and standing.owes == '' and 1 or 0
end
return living
